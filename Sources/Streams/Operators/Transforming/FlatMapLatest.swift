extension Publisher {
    /// Transforms every value into a publisher, and publishes the values of the latest of these.
    ///
    /// ```
    /// ──A───────────B───────────|
    ///   flatMapLatest { $0 == A ? ──1──2──3──4── : ──8──9──| }
    /// ─────1──2──3──────8──9────|
    /// ```
    ///
    /// The same as `map(_:)` and `switchToLatest()`. For demand, completion, cancellation and threads, see the latter.
    ///
    /// - Parameter transform: A closure that creates a publisher, called on the thread that delivers the value.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func flatMapLatest<T, P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.SwitchToLatest<P, Publishers.Map<Self, P>> where T == P.Output, P.Failure == Failure {
        map(transform).switchToLatest()
    }

    /// Transforms every value into a publisher that cannot fail, and publishes the values of the latest of these.
    ///
    /// Otherwise like the form with one type of failure.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func flatMapLatest<P: Publisher>(_ transform: @escaping @Sendable (Output) -> P)
        -> Publishers.SwitchToLatest<
            Publishers.SetFailureType<P, Failure>, Publishers.Map<Self, Publishers.SetFailureType<P, Failure>>
        > where P.Failure == Never
    {
        map(FailureSetting<Output, P, Failure>(transform: transform).apply).switchToLatest()
    }
}

extension Publisher where Failure == Never {
    /// Transforms every value into a publisher that may fail, and publishes the values of the latest of these.
    ///
    /// Otherwise like the form with one type of failure.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func flatMapLatest<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.SwitchToLatest<P, Publishers.SetFailureType<Publishers.Map<Self, P>, P.Failure>> {
        map(transform).switchToLatest()
    }

    /// Transforms every value into a publisher, and publishes the values of the latest of these. No publisher can fail.
    ///
    /// Otherwise like the form with one type of failure.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func flatMapLatest<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.SwitchToLatest<P, Publishers.Map<Self, P>> where P.Failure == Never {
        map(transform).switchToLatest()
    }
}
