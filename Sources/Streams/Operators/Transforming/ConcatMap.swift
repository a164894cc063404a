extension Publisher {
    /// Transforms every value into a publisher, and publishes the values of one of these after the other.
    ///
    /// ```
    /// ──A───B─────────────────|
    ///   concatMap { $0 == A ? ──1──2──| : ──8──9──| }
    /// ────1──2──────8──9──|
    /// ```
    ///
    /// The same as `flatMap(maxPublishers: .max(1))`: another value is requested when the inner publisher has finished.
    /// Completion, cancellation and threads: see `flatMap(maxPublishers:_:)`.
    ///
    /// - Parameter transform: A closure that creates a publisher, called on the thread that delivers the value.
    @preconcurrency
    @inlinable
    public func concatMap<T, P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where T == P.Output, P.Failure == Failure {
        flatMap(maxPublishers: .max(1), transform)
    }

    /// Transforms every value into a publisher that cannot fail, and publishes the values of one of these after the other.
    ///
    /// Otherwise like the form with one type of failure.
    @preconcurrency
    @inlinable
    public func concatMap<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
        flatMap(maxPublishers: .max(1), transform)
    }
}

extension Publisher where Failure == Never {
    /// Transforms every value into a publisher that may fail, and publishes the values of one of these after the other.
    ///
    /// Otherwise like the form with one type of failure.
    @preconcurrency
    @inlinable
    public func concatMap<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
        flatMap(maxPublishers: .max(1), transform)
    }

    /// Transforms every value into a publisher, and publishes the values of these in order. No publisher can fail.
    ///
    /// Otherwise like the form with one type of failure.
    @preconcurrency
    @inlinable
    public func concatMap<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
        flatMap(maxPublishers: .max(1), transform)
    }
}
