extension Publisher {
    /// Turns every value into a publisher, and delivers what those publish one publisher after the other.
    ///
    /// ```
    /// ──A───B─────────────────|
    ///   concatMap { $0 == A ? ──1──2──| : ──8──9──| }
    /// ────1──2──────8──9──|
    /// ```
    ///
    /// The same as `flatMap(maxPublishers: .max(1))`: another value is asked for when the publisher made from the one
    /// before has completed. Completion, cancellation and threads are as there.
    ///
    /// - Parameter transform: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func concatMap<T, P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where T == P.Output, P.Failure == Failure {
        flatMap(maxPublishers: .max(1), transform)
    }
}

// `concatMap` where only one of the two, the publisher of values or those made from them, can fail, or neither can.

extension Publisher where Failure == Never {
    /// Turns every value into a publisher that may fail, and delivers what those publish one publisher after the other.
    ///
    /// Otherwise like the form with one type of failure.
    @preconcurrency
    @inlinable
    public func concatMap<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
        flatMap(maxPublishers: .max(1), transform)
    }

    /// Turns every value into a publisher, and delivers what those publish one publisher after the other. Nothing of it
    /// can fail.
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

extension Publisher {
    /// Turns every value into a publisher that cannot fail, and delivers what those publish one publisher after the
    /// other.
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
