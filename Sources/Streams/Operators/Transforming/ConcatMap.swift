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
