extension Publisher where Output: Subscribers.EventConvertible, Failure == Never {
    /// Publishes the signals that events represent.
    ///
    /// ```
    /// ──value(1)──value(2)──failure(✕)──value(3)──
    ///   dematerialize()
    /// ──1─────────2─────────✕
    /// ```
    ///
    /// This is the inverse of ``Publisher/materialize()``.
    ///
    /// **Demand.** Passes through. The event of a completion needs demand: a subscriber that requests only as many
    /// values as there are does not receive the completion.
    ///
    /// **Completion.** The event of a completion cancels the upstream and completes the stream, and so does the
    /// upstream's own completion.
    ///
    /// **Cancellation.** Cancels the upstream.
    ///
    /// **Threads.** Signals are delivered on the thread that delivers the events.
    @inlinable
    @_disfavoredOverload
    public func dematerialize() -> Operators.Dematerialization<Self> {
        Operators.Dematerialization(upstream: self)
    }
}

extension Operators {
    /// A publisher that delivers the signals that events represent.
    public struct Dematerialization<Upstream: Publisher>: Publisher
    where Upstream.Output: Subscribers.EventConvertible, Upstream.Failure == Never {
        public typealias Output = Upstream.Output.Output
        public typealias Failure = Upstream.Output.Failure

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// Creates a publisher of the signals of events. Usually created with ``Publisher/dematerialize()``.
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
        @usableFromInline let link = UpstreamLink("Dematerialize")

        @inlinable
        init(downstream: Downstream) {
            self.downstream = downstream
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
