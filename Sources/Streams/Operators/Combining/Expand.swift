extension Publisher {
    /// Publishes every value, then the values of publishers created from these, and so on.
    ///
    /// ```
    /// ──1|
    ///   expand { $0 < 4 ? Just($0 * 2) : nil }
    /// ──1──2──4|
    /// ```
    ///
    /// ```swift
    /// client.page(1).expand { page in
    ///     page.next.map { client.page($0) }
    /// }
    /// ```
    ///
    /// One publisher is subscribed to after the other, in the order of the values they were created from, so values come
    /// level by level. Values that are still to be expanded are buffered. The stack does not grow with the steps.
    ///
    /// **Demand.** The demand that one publisher leaves unanswered is requested from the next one. The next publisher is
    /// created when the previous one has finished, and subscribed to when there is demand. So a page that was not
    /// requested is not fetched, even if its publisher starts to work before a request.
    ///
    /// **Completion.** Finishes when every value has been expanded, without demand if the closure returns nil for the
    /// last values. A failure is delivered at once.
    ///
    /// **Cancellation.** Cancels the current publisher.
    ///
    /// **Threads.** The closure is called on the thread on which the previous publisher finishes. A publisher that waits
    /// for demand is subscribed to on the thread that requests.
    ///
    /// - Parameter transform: A closure that creates the publisher of the values that follow a value, nil if none do.
    @preconcurrency
    @inlinable
    public func expand<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P?
    ) -> Operators.Expand<Self, P> where P.Output == Output, P.Failure == Failure {
        Operators.Expand(upstream: self, transform: transform)
    }
}

extension Operators {
    /// A publisher that publishes every value and, after it, the values of a publisher created from it.
    public struct Expand<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where NewPublisher.Output == Upstream.Output, NewPublisher.Failure == Upstream.Failure {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher of the first values.
        public let upstream: Upstream

        /// The closure that creates the publisher of the values that follow a value, nil if none do.
        public let transform: @Sendable (Output) -> NewPublisher?

        /// Creates a publisher that expands the values of another one.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Output) -> NewPublisher?) {
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
    /// The state of one subscription, held by the current publisher's subscriber. Downstream has only the arbiter.
    ///
    /// The buffer belongs to the publishers' signals, which are serial.
    @usableFromInline
    final class Expansion<Downstream: Subscriber>
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let transform: @Sendable (Upstream.Output) -> NewPublisher?
        @usableFromInline let arbiter: SubscriptionArbiter
        @exclusivity(unchecked) @usableFromInline var unexpanded = RingBuffer<Upstream.Output>()

        @inlinable
        init(downstream: Downstream, transform: @escaping @Sendable (Upstream.Output) -> NewPublisher?) {
            self.downstream = downstream
            self.transform = transform
            arbiter = SubscriptionArbiter("Expand", needsEveryValue: downstream.needsEveryValue)
        }

        /// Expands the oldest value, or finishes if there is none.
        @inlinable
        func advance() {
            arbiter.push { _ in self.expandNext() }
            arbiter.trampoline.run(arbiter.subscribeToNext)
        }

        @inlinable
        func expandNext() {
            while !arbiter.isTerminal, let value = unexpanded.popFirst() {
                if let publisher = transform(value) { return subscribe(to: publisher) }
            }
            if arbiter.complete() { downstream.receive(completion: .finished) }
        }

        /// Subscribes to a publisher when there is demand. If there is none, a request subscribes: it adds to the demand
        /// before it looks for the publisher.
        @inlinable
        func subscribe(to publisher: NewPublisher) {
            arbiter.push { [self] arbiter in
                // Another request may have been first, and used up the demand.
                guard arbiter.hasDemand else { return subscribe(to: publisher) }
                publisher.subscribe(Inner(expansion: self))
            }
            if arbiter.hasDemand { arbiter.subscribeToNext() }
        }
    }

    @usableFromInline
    struct Inner<Downstream: Subscriber>: ArbitratedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let expansion: Expansion<Downstream>
        @usableFromInline let link = UpstreamLink()

        @inlinable var arbiter: SubscriptionArbiter { expansion.arbiter }
        @inlinable var downstream: Downstream { expansion.downstream }

        @inlinable
        init(expansion: Expansion<Downstream>) {
            self.expansion = expansion
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard link.attach(subscription), arbiter.attach(link) else { return }
            downstream.receive(subscription: ExpandSubscription(arbiter: arbiter))
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive, arbiter.takeDemand() else { return .none }
            expansion.unexpanded.append(input)
            return arbiter.didDeliver(downstream.receive(input))
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            if case .finished = completion {
                arbiter.detach()
                expansion.advance()
            } else if arbiter.complete() {
                downstream.receive(completion: completion)
            }
        }
    }
}

/// The subscription of an `expand`. A request subscribes to the publisher that waits for demand.
@usableFromInline
final class ExpandSubscription: NamedSubscription {
    private let arbiter: SubscriptionArbiter

    @usableFromInline
    init(arbiter: SubscriptionArbiter) {
        self.arbiter = arbiter
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        arbiter.request(demand)
        if arbiter.hasNext, arbiter.hasDemand { arbiter.trampoline.run(arbiter.subscribeToNext) }
    }

    @usableFromInline
    func cancel() {
        arbiter.cancel()
    }

    @usableFromInline var description: String { arbiter.description }
}
