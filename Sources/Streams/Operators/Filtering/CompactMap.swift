extension Publisher {
    /// Transforms each value, and drops the results that are nil.
    ///
    /// ```
    /// ──"1"──"x"──"3"──|
    ///   compactMap { Int($0) }
    /// ───1─────────3───|
    /// ```
    ///
    /// The completion and the cancellation pass through.
    ///
    /// **Demand.** For each dropped result the operator requests another value.
    ///
    /// - Parameter transform: A closure that returns the new value or nil, called on the delivering thread.
    @preconcurrency
    @inlinable
    public func compactMap<T>(_ transform: @escaping @Sendable (Output) -> T?) -> Publishers.CompactMap<Self, T> {
        Publishers.CompactMap(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// A publisher that transforms each value of its upstream, and drops the results that are nil.
    public struct CompactMap<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that transforms each value, or drops it by returning nil.
        public let transform: @Sendable (Upstream.Output) -> Output?

        /// Creates a publisher that transforms each value of another one, and drops the results that are nil.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) -> Output?) {
            self.upstream = upstream
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, transform: transform))
        }
    }
}

extension Publishers.CompactMap: Sendable where Upstream: Sendable {}

extension Publishers.CompactMap {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: ForwardingSubscriber
    where Downstream.Input == Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline typealias Failure = Upstream.Failure

        @usableFromInline let downstream: Downstream
        @usableFromInline let transform: @Sendable (Upstream.Output) -> Output?

        @inlinable
        init(downstream: Downstream, transform: @escaping @Sendable (Upstream.Output) -> Output?) {
            self.downstream = downstream
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard let output = transform(input) else { return .max(1) }
            return downstream.receive(output)
        }
    }
}
