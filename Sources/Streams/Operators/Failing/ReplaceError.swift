extension Publisher {
    /// Delivers a value in place of the failure, and finishes.
    ///
    /// ```
    /// ──1──2──✕ E
    ///   replaceError(with: 0)
    /// ──1──2──0|
    /// ```
    ///
    /// The value waits for demand like any other. Demand, cancellation, values and a normal completion
    /// pass through. The value comes on the thread on which the upstream fails or the subscriber asks for it.
    ///
    /// - Parameter output: The value.
    @inlinable
    public func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
        Publishers.ReplaceError(upstream: self, output: output)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/replaceError(with:)`` makes.
    public struct ReplaceError<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Never

        /// What is delivered in place of a failure.
        public let output: Upstream.Output

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes the publisher; ``Publisher/replaceError(with:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, output: Output) {
            self.upstream = upstream
            self.output = output
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
            upstream.subscribe(Inner(downstream: subscriber, output: output))
        }
    }
}

extension Publishers.ReplaceError: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}
extension Publishers.ReplaceError: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

extension Publishers.ReplaceError {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Never {
        @usableFromInline let downstream: Downstream
        @usableFromInline let output: Upstream.Output
        @usableFromInline let arbiter: SubscriptionArbiter
        @usableFromInline let link = UpstreamLink()

        @inlinable
        init(downstream: Downstream, output: Upstream.Output) {
            self.downstream = downstream
            self.output = output
            arbiter = SubscriptionArbiter("ReplaceError")
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription), arbiter.attach(link) { downstream.receive(subscription: arbiter) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive, arbiter.takeDemand() else { return .none }
            return arbiter.didDeliver(downstream.receive(input))
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            switch completion {
            case .finished:
                if arbiter.complete() { downstream.receive(completion: .finished) }
            case .failure:
                arbiter.detach()
                Just(output).subscribe(FinalUpstreamSubscriber(downstream: downstream, arbiter: arbiter))
            }
        }
    }
}
