extension Publisher {
    /// Publishes each value together with the one before it.
    ///
    /// ```
    /// ──1──2──────3──────|
    ///   pairwise()
    /// ─────(1, 2)─(2, 3)─|
    /// ```
    ///
    /// The first value is held back, and nothing is published if it stays the only one. Demand, the completion and the
    /// cancellation pass through; in place of the first value, another one is requested. Pairs are published on the
    /// thread that delivers their second value.
    @inlinable
    public func pairwise() -> Operators.Pairwise<Self> {
        Operators.Pairwise(upstream: self)
    }
}

extension Operators {
    /// A publisher that publishes each value of its upstream together with the one before it.
    public struct Pairwise<Upstream: Publisher>: Publisher {
        public typealias Output = (previous: Upstream.Output, current: Upstream.Output)
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Creates a publisher that publishes each value of another one together with the one before it.
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

extension Operators.Pairwise: Equatable where Upstream: Equatable {}
extension Operators.Pairwise: Sendable where Upstream: Sendable {}

extension Operators.Pairwise {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: ForwardingSubscriber
    where Downstream.Input == Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline typealias Failure = Upstream.Failure

        @usableFromInline let downstream: Downstream
        @usableFromInline let previous = SerialState<Upstream.Output?>(nil)

        @inlinable
        init(downstream: Downstream) {
            self.downstream = downstream
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard let previous = exchange(&previous.value, with: input) else { return .max(1) }
            return downstream.receive((previous, input))
        }
    }
}
