extension Publisher {
    /// Transforms the values, and leaves out those that come to nothing.
    ///
    /// ```
    /// ──"1"──"x"──"3"──|
    ///   compactMap { Int($0) }
    /// ───1─────────3───|
    /// ```
    ///
    /// For every value left out another one is asked for. Cancellation and the completion pass through.
    ///
    /// - Parameter transform: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func compactMap<T>(
        _ transform: @escaping @Sendable (Output) -> T?
    ) -> Publishers.CompactMap<Self, T> {
        Publishers.CompactMap(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/compactMap(_:)`` makes.
    public struct CompactMap<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// What becomes of a value.
        public let transform: @Sendable (Upstream.Output) -> Output?

        /// Makes the publisher; ``Publisher/compactMap(_:)`` is the usual way to it.
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
    struct Inner<Downstream: Subscriber>: PassingSubscriber
    where Downstream.Input == Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let transform: @Sendable (Upstream.Output) -> Output?

        @inlinable
        init(downstream: Downstream, transform: @escaping @Sendable (Upstream.Output) -> Output?) {
            self.downstream = downstream
            self.transform = transform
        }

        @usableFromInline var name: OperatorName { .compactMap }

        @inlinable
        func receive(subscription: any Subscription) {
            downstream.receive(subscription: subscription)
        }

        @inlinable
        @inline(__always)
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard let output = transform(input) else { return .max(1) }
            return downstream.receive(output)
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            downstream.receive(completion: completion)
        }
    }
}
