import Synchronization

extension Publisher {
    /// Delivers every value, and then what the publishers made of these values deliver, and so on.
    ///
    /// ```swift
    /// client.page(1).expand { page in
    ///     page.next.map { client.page($0) } ?? Empty().eraseToAnyPublisher()
    /// }
    /// ```
    ///
    /// ```
    /// ──1|
    ///   expand { $0 < 4 ? Just($0 * 2) : Empty() }
    /// ──1──2──4|
    /// ```
    ///
    /// One publisher is subscribed to after the other, in the order of the values they were made of, so the values come
    /// level by level. Values that are still to be expanded are kept. The stack does not grow with the steps, however
    /// many come at once.
    ///
    /// **Demand.** What one publisher leaves unanswered the next one is asked for. So a page that nobody asks for is
    /// not fetched.
    ///
    /// **Completion** comes when every value has been expanded; a failure at once.
    ///
    /// **Cancellation** reaches the current publisher.
    ///
    /// **Threads.** The closure is called where the publisher before has completed.
    ///
    /// - Parameter transform: Makes the publisher of what follows a value.
    @preconcurrency
    @inlinable
    public func expand<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Operators.Expand<Self, P> where P.Output == Output, P.Failure == Failure {
        Operators.Expand(upstream: self, transform: transform)
    }
}

extension Operators {
    /// The publisher that ``Publisher/expand(_:)`` makes.
    public struct Expand<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where NewPublisher.Output == Upstream.Output, NewPublisher.Failure == Upstream.Failure {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes the publisher of what follows a value.
        public let transform: @Sendable (Output) -> NewPublisher

        /// Makes the publisher; ``Publisher/expand(_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Output) -> NewPublisher) {
            self.upstream = upstream
            self.transform = transform
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(expansion: Expansion(downstream: subscriber, transform: transform)))
        }
    }
}

extension Operators.Expand: Sendable where Upstream: Sendable {}

extension Operators.Expand {
    /// One subscriber's expansion. The current publisher's source holds it; the subscriber has only the arbiter.
    ///
    /// What varies belongs to the publishers' signals, which are serial: one begins after the one before has ended.
    @usableFromInline
    final class Expansion<Downstream: Subscriber>
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let transform: @Sendable (Upstream.Output) -> NewPublisher
        @usableFromInline let arbiter = SubscriptionArbiter("Expand")

        @exclusivity(unchecked) @usableFromInline var unexpanded = RingBuffer<Upstream.Output>()
        @exclusivity(unchecked) @usableFromInline var hasBegun = false

        /// How many steps are due. Whoever makes it one takes them, until it is zero again.
        @usableFromInline let due = Atomic<Int>(0)

        @inlinable
        init(downstream: Downstream, transform: @escaping @Sendable (Upstream.Output) -> NewPublisher) {
            self.downstream = downstream
            self.transform = transform
        }

        @inlinable
        func begin(_ link: UpstreamLink) {
            guard arbiter.attach(link), !hasBegun else { return }
            hasBegun = true
            downstream.receive(subscription: arbiter)
        }

        /// Goes on with the value that has waited longest.
        @inlinable
        func advance() {
            guard due.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
            repeat {
                if arbiter.isTerminal { continue }
                if let value = unexpanded.popFirst() {
                    transform(value).subscribe(Inner(expansion: self))
                } else {
                    finish(.finished)
                }
            } while due.subtract(1, ordering: .acquiringAndReleasing).newValue > 0
        }

        @inlinable
        func finish(_ completion: Subscribers.Completion<Upstream.Failure>) {
            if arbiter.complete() { downstream.receive(completion: completion) }
        }
    }

    @usableFromInline
    struct Inner<Downstream: Subscriber>: Subscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let expansion: Expansion<Downstream>
        @usableFromInline let link = UpstreamLink()

        @inlinable var combineIdentifier: CombineIdentifier { link.combineIdentifier }

        @inlinable
        init(expansion: Expansion<Downstream>) {
            self.expansion = expansion
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { expansion.begin(link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive, expansion.arbiter.takeDemand() else { return .none }
            expansion.unexpanded.append(input)
            return expansion.arbiter.didDeliver(expansion.downstream.receive(input))
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            if case .finished = completion {
                expansion.arbiter.detach()
                expansion.advance()
            } else {
                expansion.finish(completion)
            }
        }
    }
}
