extension Publisher {
    /// Transforms the failure.
    ///
    /// ```
    /// ──1──2──✕ A
    ///   mapError { B($0) }
    /// ──1──2──✕ B(A)
    /// ```
    ///
    /// Demand, values, the cancellation and a normal completion pass through.
    ///
    /// - Parameter transform: A closure that returns the new failure, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func mapError<E: Error>(_ transform: @escaping @Sendable (Failure) -> E) -> Publishers.MapError<Self, E> {
        Publishers.MapError(upstream: self, transform)
    }

    /// The same publisher, with any error as its type of failure. Operators with a closure that can throw any error
    /// subscribe to it, so values and thrown errors have one type of failure.
    @inlinable var erasingFailure: Publishers.MapError<Self, any Error> {
        Publishers.MapError(upstream: self, transform: { $0 })
    }
}

extension Publishers {
    /// A publisher that transforms the failure of its upstream.
    public struct MapError<Upstream: Publisher, Failure: Error>: Publisher {
        public typealias Output = Upstream.Output

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that transforms the failure.
        public let transform: @Sendable (Upstream.Failure) -> Failure

        /// Creates a publisher that transforms the failure of another one.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Failure) -> Failure) {
            self.upstream = upstream
            self.transform = transform
        }

        /// Creates a publisher that transforms the failure of another one.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, _ map: @escaping @Sendable (Upstream.Failure) -> Failure) {
            self.init(upstream: upstream, transform: map)
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(MapErrorSubscriber(downstream: subscriber, transform: transform))
        }
    }
}

extension Publishers.MapError: Sendable where Upstream: Sendable {}

/// The subscriber of `mapError`, `setFailureType` and `assertNoFailure`.
@usableFromInline
struct MapErrorSubscriber<Failure: Error, Downstream: Subscriber>: ForwardingSubscriber {
    @usableFromInline let downstream: Downstream
    @usableFromInline let transform: @Sendable (Failure) -> Downstream.Failure

    @inlinable
    init(downstream: Downstream, transform: @escaping @Sendable (Failure) -> Downstream.Failure) {
        self.downstream = downstream
        self.transform = transform
    }

    @inlinable
    @inline(__always)
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        downstream.receive(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        switch completion {
        case .finished: downstream.receive(completion: .finished)
        case .failure(let error): downstream.receive(completion: .failure(transform(error)))
        }
    }
}
