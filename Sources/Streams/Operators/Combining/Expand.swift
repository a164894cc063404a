extension Publisher {
    /// Publishes every value, then the values of publishers created from these, and so on.
    ///
    /// ```
    /// ──1|
    ///   expand { $0 < 4 ? Just($0 * 2) : Empty() }
    /// ──1──2──4|
    /// ```
    ///
    /// ```swift
    /// client.page(1).expand { page in
    ///     page.next.map { client.page($0) } ?? Empty().eraseToAnyPublisher()
    /// }
    /// ```
    ///
    /// One publisher is subscribed to after the other, in the order of the values they were created from, so values come
    /// level by level. Values that are still to be expanded are buffered. The stack does not grow with the steps.
    ///
    /// **Demand.** The demand that one publisher leaves unanswered is requested from the next one. So a page that was not
    /// requested is not fetched.
    ///
    /// **Completion.** Finishes when every value has been expanded. A failure is delivered at once.
    ///
    /// **Cancellation.** Cancels the current publisher.
    ///
    /// **Threads.** The closure is called on the thread on which the previous publisher finishes.
    ///
    /// - Parameter transform: A closure that creates the publisher of the values that follow a value.
    @preconcurrency
    @inlinable
    public func expand<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
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

        /// The closure that creates the publisher of the values that follow a value.
        public let transform: @Sendable (Output) -> NewPublisher

        /// Creates a publisher that expands the values of another one.
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
    /// The state of one subscription. The subscriber of the current publisher holds it, and downstream has only the
    /// arbiter.
    ///
    /// The buffer belongs to the publishers' signals, which are serial.
    @usableFromInline
    final class Expansion<Downstream: Subscriber>
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let transform: @Sendable (Upstream.Output) -> NewPublisher
        @usableFromInline let arbiter = SubscriptionArbiter("Expand")
        @exclusivity(unchecked) @usableFromInline var unexpanded = RingBuffer<Upstream.Output>()

        @inlinable
        init(downstream: Downstream, transform: @escaping @Sendable (Upstream.Output) -> NewPublisher) {
            self.downstream = downstream
            self.transform = transform
        }

        /// Expands the oldest value, or finishes if there is none.
        @inlinable
        func advance() {
            arbiter.inTurn {
                guard !arbiter.isTerminal else { return }
                if let value = unexpanded.popFirst() {
                    transform(value).subscribe(Inner(expansion: self))
                } else if arbiter.complete() {
                    downstream.receive(completion: .finished)
                }
            }
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
