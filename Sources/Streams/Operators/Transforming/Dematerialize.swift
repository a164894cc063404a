extension Publisher where Output: Subscribers.EventConvertible, Failure == Never {
    /// Turns events back into the signals they stand for.
    ///
    /// ```
    /// ──value(1)──value(2)──failure(✕)──value(3)──
    ///   dematerialize()
    /// ──1─────────2─────────✕
    /// ```
    ///
    /// The opposite of ``Publisher/materialize()``.
    ///
    /// **Demand** passes through. The event of a completion is one that has to be asked for, so a subscriber that asks
    /// for no more than the values does not learn of their end.
    ///
    /// **Completion.** The stream ends with the event of a completion, which cancels this publisher, or when this
    /// publisher completes.
    ///
    /// **Cancellation** passes through.
    ///
    /// **Threads.** Signals come on the thread that sends them.
    @inlinable
    @_disfavoredOverload
    public func dematerialize() -> Operators.Dematerialization<Self> {
        Operators.Dematerialization(upstream: self)
    }
}

extension Operators {
    /// The publisher that ``Publisher/dematerialize()`` makes.
    public struct Dematerialization<Upstream: Publisher>: Publisher
    where Upstream.Output: Subscribers.EventConvertible, Upstream.Failure == Never {
        public typealias Output = Upstream.Output.Output
        public typealias Failure = Upstream.Output.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes the publisher; ``Publisher/dematerialize()`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber))
        }
    }
}

extension Operators.Dematerialization: Equatable where Upstream: Equatable {}
extension Operators.Dematerialization: Sendable where Upstream: Sendable {}

extension Operators.Dematerialization {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output.Output, Downstream.Failure == Upstream.Output.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let link = OperatorSubscription("Dematerialize")

        @inlinable
        init(downstream: Downstream) {
            self.downstream = downstream
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            switch input.event {
            case .value(let value): return downstream.receive(value)
            case .failure(let error): end(.failure(error))
            case .finished: end(.finished)
            }
            return .none
        }

        @inlinable
        func end(_ completion: Subscribers.Completion<Downstream.Failure>) {
            if link.complete(cancellingUpstream: true) { downstream.receive(completion: completion) }
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Never>) {
            if link.complete() { downstream.receive(completion: .finished) }
        }
    }
}
