extension Publisher {
    /// Transforms each value.
    ///
    /// ```
    /// ──1──2──3──|
    ///   map { $0 * 10 }
    /// ──10─20─30─|
    /// ```
    ///
    /// Demand, the completion and the cancellation pass through.
    ///
    /// - Parameter transform: A closure that returns the new value, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func map<T>(_ transform: @escaping @Sendable (Output) -> T) -> Publishers.Map<Self, T> {
        Publishers.Map(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// A publisher that transforms each value of its upstream.
    public struct Map<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that transforms each value.
        public let transform: @Sendable (Upstream.Output) -> Output

        /// Creates a publisher that transforms each value of another one.
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

/// The subscriber of `map`. Its type does not depend on the upstream's: otherwise the types of a long chain would grow
/// with the square of its length, beyond what the compiler specialises.
@usableFromInline
struct MapSubscriber<Input, Downstream: Subscriber>: ForwardingSubscriber {
    @usableFromInline typealias Failure = Downstream.Failure

    @usableFromInline let downstream: Downstream
    @usableFromInline let transform: (Input) -> Downstream.Input

    @inlinable
    init(downstream: Downstream, transform: @escaping (Input) -> Downstream.Input) {
        self.downstream = downstream
        self.transform = transform
    }

    @inlinable
    @inline(__always)
    func receive(_ input: Input) -> Subscribers.Demand {
        downstream.receive(transform(input))
    }
}
