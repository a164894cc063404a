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
