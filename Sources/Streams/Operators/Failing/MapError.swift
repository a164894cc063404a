extension Publisher {
    /// Transforms the failure.
    ///
    /// ```
    /// ──1──2──✕ A
    ///   mapError { B($0) }
    /// ──1──2──✕ B(A)
    /// ```
    ///
    /// Demand, cancellation, values and a normal completion pass through.
    ///
    /// - Parameter transform: Called at most once, on the thread that delivers the failure.
    @preconcurrency
    @inlinable
    public func mapError<E: Error>(_ transform: @escaping @Sendable (Failure) -> E) -> Publishers.MapError<Self, E> {
        Publishers.MapError(upstream: self, transform)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/mapError(_:)`` makes.
    public struct MapError<Upstream: Publisher, Failure: Error>: Publisher {
        public typealias Output = Upstream.Output

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// What is done to the failure.
        public let transform: @Sendable (Upstream.Failure) -> Failure

        /// Makes the publisher; ``Publisher/mapError(_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Failure) -> Failure) {
            self.upstream = upstream
            self.transform = transform
        }

        /// Makes the publisher; ``Publisher/mapError(_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, _ map: @escaping @Sendable (Upstream.Failure) -> Failure) {
            self.init(upstream: upstream, transform: map)
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, transform: transform))
        }
    }
}

extension Publishers.MapError: Sendable where Upstream: Sendable {}

extension Publishers.MapError {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: ForwardingSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let transform: @Sendable (Upstream.Failure) -> Failure

        @inlinable
        init(downstream: Downstream, transform: @escaping @Sendable (Upstream.Failure) -> Failure) {
            self.downstream = downstream
            self.transform = transform
        }

        @inlinable
        func receive(subscription: any Subscription) {
            downstream.receive(subscription: subscription)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            downstream.receive(input)
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            switch completion {
            case .finished: downstream.receive(completion: .finished)
            case .failure(let error): downstream.receive(completion: .failure(transform(error)))
            }
        }
    }
}
