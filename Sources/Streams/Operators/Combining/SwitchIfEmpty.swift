extension Publisher {
    /// Publishes the values of another publisher if this one finishes without a value.
    ///
    /// ```
    /// ─────|
    ///   switchIfEmpty(to: ──8──9──|)
    /// ───────8──9──|
    /// ```
    ///
    /// The other publisher is subscribed to only then, for example to request from a server what a cache lacks.
    /// ``replaceEmpty(with:)`` publishes a single value instead. Switching to an erased publisher that
    /// switches again does not deepen the stack.
    ///
    /// **Demand.** The other publisher is asked for the values that were requested from this one.
    ///
    /// **Completion.** After a value, this publisher's completion is delivered, otherwise that of the other one. A
    /// failure of this publisher is delivered at once.
    ///
    /// **Cancellation.** Cancels the current publisher.
    ///
    /// **Threads.** The other publisher is subscribed to on the thread on which this one finishes.
    ///
    /// - Parameter publisher: The other publisher.
    @inlinable
    public func switchIfEmpty<P: Publisher>(
        to publisher: P
    ) -> Operators.SwitchIfEmpty<Self, P> where P.Output == Output, P.Failure == Failure {
        Operators.SwitchIfEmpty(upstream: self, replacement: publisher)
    }
}

extension Operators {
    /// A publisher that publishes the values of another publisher if its upstream finishes without a value.
    public struct SwitchIfEmpty<Upstream: Publisher, Replacement: Publisher>: Publisher
    where Upstream.Output == Replacement.Output, Upstream.Failure == Replacement.Failure {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that is subscribed to first.
        public let upstream: Upstream

        /// The publisher that is subscribed to if the upstream finishes without a value.
        public let replacement: Replacement

        /// Creates the publisher of ``Publisher/switchIfEmpty(to:)``.
        @inlinable
        public init(upstream: Upstream, replacement: Replacement) {
            self.upstream = upstream
            self.replacement = replacement
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            if let (arbiter, downstream) = subscriber.takeSharedArbiter() {
                let inner = Inner(downstream: downstream, arbiter: arbiter, replacement: replacement)
                arbiter.subscribe(inner, to: upstream)
            } else {
                let arbiter = SubscriptionArbiter("SwitchIfEmpty", needsEveryValue: subscriber.needsEveryValue)
                upstream.subscribe(Inner(downstream: subscriber, arbiter: arbiter, replacement: replacement))
            }
        }
    }
}

extension Operators.SwitchIfEmpty: Equatable where Upstream: Equatable, Replacement: Equatable {}
extension Operators.SwitchIfEmpty: Sendable where Upstream: Sendable, Replacement: Sendable {}

extension Operators.SwitchIfEmpty {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: ArbitratedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let arbiter: SubscriptionArbiter
        @usableFromInline let replacement: Replacement
        @usableFromInline let isEmpty = SerialState(true)
        @usableFromInline let link = UpstreamLink()

        @inlinable
        init(downstream: Downstream, arbiter: SubscriptionArbiter, replacement: Replacement) {
            self.downstream = downstream
            self.arbiter = arbiter
            self.replacement = replacement
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive, arbiter.takeDemand() else { return .none }
            isEmpty.value = false
            return arbiter.didDeliver(downstream.receive(input))
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            if isEmpty.value, case .finished = completion {
                arbiter.detach()
                advance(to: replacement)
            } else {
                advance(after: completion)
            }
        }
    }
}
