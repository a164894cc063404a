extension Publisher {
    /// Transforms every value.
    ///
    /// ```
    /// ──1──2──3──|
    ///   map { $0 * 10 }
    /// ──10─20─30─|
    /// ```
    ///
    /// Demand, cancellation and the completion pass through.
    ///
    /// - Parameter transform: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func map<T>(_ transform: @escaping @Sendable (Output) -> T) -> Publishers.Map<Self, T> {
        Publishers.Map(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/map(_:)->Publishers.Map<Self,T>`` makes.
    public struct Map<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// What is done to each value.
        public let transform: @Sendable (Upstream.Output) -> Output

        /// Makes the publisher; ``Publisher/map(_:)->Publishers.Map<Self,T>`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) -> Output) {
            self.upstream = upstream
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(MapSubscriber(downstream: subscriber, transform: transform))
        }
    }
}

extension Publishers.Map: Sendable where Upstream: Sendable {}

/// The receiving half. Its type does not tell what is upstream: those of long chains would grow with the square of
/// their length, and beyond what the compiler specialises.
@usableFromInline
struct MapSubscriber<Input, Downstream: Subscriber>: PassingSubscriber {
    @usableFromInline let downstream: Downstream
    @usableFromInline let transform: @Sendable (Input) -> Downstream.Input

    @inlinable
    init(downstream: Downstream, transform: @escaping @Sendable (Input) -> Downstream.Input) {
        self.downstream = downstream
        self.transform = transform
    }

    @usableFromInline var name: OperatorName { .map }

    @inlinable
    func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
    }

    @inlinable
    @inline(__always)
    func receive(_ input: Input) -> Subscribers.Demand {
        downstream.receive(transform(input))
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        downstream.receive(completion: completion)
    }
}
