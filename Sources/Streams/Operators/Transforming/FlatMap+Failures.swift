// `flatMap` where only one of the two, the publisher of values or those made from them, can fail, or neither can.

extension Publisher where Failure == Never {
    /// Turns every value into a publisher that may fail, and delivers what those publish as it comes.
    ///
    /// Otherwise like ``Publisher/flatMap(maxPublishers:_:)-60vvr``.
    @preconcurrency
    @inlinable
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited,
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
        setFailureType(to: P.Failure.self).flatMap(maxPublishers: maxPublishers, transform)
    }

    /// Turns every value into a publisher, and delivers what those publish as it comes. Nothing of it can fail.
    ///
    /// Otherwise like ``Publisher/flatMap(maxPublishers:_:)-60vvr``.
    @preconcurrency
    @inlinable
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited,
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
        Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
    }
}

extension Publisher {
    /// Turns every value into a publisher that cannot fail, and delivers what those publish as it comes.
    ///
    /// Otherwise like ``Publisher/flatMap(maxPublishers:_:)-60vvr``.
    @preconcurrency
    @inlinable
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited,
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
        flatMap(maxPublishers: maxPublishers, FailureSetting<Output, P, Failure>(transform: transform).apply)
    }
}

/// Makes a publisher out of a value and sets its failure type.
@usableFromInline
struct FailureSetting<Input, P: Publisher, Failure: Error>: Sendable where P.Failure == Never {
    @usableFromInline let transform: @Sendable (Input) -> P

    @inlinable
    init(transform: @escaping @Sendable (Input) -> P) {
        self.transform = transform
    }

    @inlinable
    func apply(_ input: Input) -> Publishers.SetFailureType<P, Failure> {
        transform(input).setFailureType(to: Failure.self)
    }
}
