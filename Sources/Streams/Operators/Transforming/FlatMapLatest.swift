extension Publisher {
    /// Turns every value into a publisher, and delivers the values of the newest of them.
    ///
    /// ```
    /// ──A───────────B───────────|
    ///   flatMapLatest { $0 == A ? ──1──2──3──4── : ──8──9──| }
    /// ─────1──2──3──────8──9────|
    /// ```
    ///
    /// The same as `map` and `switchToLatest()`, which tells about demand, completion, cancellation and threads.
    ///
    /// - Parameter transform: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func flatMapLatest<T, P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.SwitchToLatest<P, Publishers.Map<Self, P>> where T == P.Output, P.Failure == Failure {
        map(transform).switchToLatest()
    }
}
