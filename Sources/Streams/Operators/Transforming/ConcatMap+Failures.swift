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
