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

// `flatMapLatest` where only one of the two, the publisher of values or those made from them, can fail, or neither can.

extension Publisher where Failure == Never {
    /// Turns every value into a publisher that may fail, and delivers the values of the newest of them.
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

    /// Turns every value into a publisher, and delivers the values of the newest of them. Nothing of it can fail.
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

extension Publisher {
    /// Turns every value into a publisher that cannot fail, and delivers the values of the newest of them.
    ///
    /// Otherwise like the form with one type of failure.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func flatMapLatest<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    )
        -> Publishers.SwitchToLatest<
            Publishers.SetFailureType<P, Failure>, Publishers.Map<Self, Publishers.SetFailureType<P, Failure>>
        > where P.Failure == Never
    {
        map(FailureSetting<Output, P, Failure>(transform: transform).apply).switchToLatest()
    }
}
