extension Publisher {
    /// Delivers a value in place of an upstream that finishes without any.
    ///
    /// ```
    /// ───────────|
    ///   replaceEmpty(with: 0)
    /// ───────────0|
    /// ```
    ///
    /// The value waits for demand like any other. Demand, cancellation, values and a failure pass through.
    /// The value comes on the thread on which the upstream finishes or the subscriber asks for it.
    ///
    /// - Parameter output: The value.
    @inlinable
    public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
        Publishers.ReplaceEmpty(upstream: self, output: output)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/replaceEmpty(with:)`` makes.
    public struct ReplaceEmpty<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// What is delivered if there are no values.
        public let output: Upstream.Output

        /// Makes the publisher; ``Publisher/replaceEmpty(with:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, output: Upstream.Output) {
            self.upstream = upstream
            self.output = output
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, output: output))
        }
    }
}

extension Publishers.ReplaceEmpty: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}
extension Publishers.ReplaceEmpty: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

extension Publishers.ReplaceEmpty {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let output: Upstream.Output
        @usableFromInline let isEmpty = SerialState(true)
        @usableFromInline let outcome: OneShotSubscription<Downstream>
        @usableFromInline let link: UpstreamLink

        @inlinable
        init(downstream: Downstream, output: Upstream.Output) {
            self.downstream = downstream
            self.output = output
            outcome = OneShotSubscription("ReplaceEmpty", downstream: downstream)
            link = OperatorSubscription("ReplaceEmpty")
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard link.attach(subscription) else { return }
            downstream.receive(subscription: ForwardingOutcomeSubscription(outcome: outcome, link: link))
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            isEmpty.value = false
            return downstream.receive(input)
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            if isEmpty.value, case .finished = completion {
                outcome.resolve(.value(output))
            } else {
                outcome.resolve(.end(completion))
            }
        }
    }
}
