extension Publisher {
    /// Delivers values before those of this publisher.
    ///
    /// ```
    /// ──────1──2──|
    ///   prepend(8, 9)
    /// 8──9──1──2──|
    /// ```
    ///
    /// This publisher is subscribed to after them. Demand, cancellation and threads: see ``Publishers/Concatenate``.
    @inlinable
    public func prepend(
        _ elements: Output...
    ) -> Publishers.Concatenate<Publishers.Sequence<[Output], Failure>, Self> {
        prepend(elements)
    }

    /// Delivers the elements of a sequence before the values of this publisher.
    ///
    /// ```
    /// ──────1──2──|
    ///   prepend([8, 9])
    /// 8──9──1──2──|
    /// ```
    ///
    /// This publisher is subscribed to after them. Demand, cancellation and threads: see ``Publishers/Concatenate``.
    @inlinable
    public func prepend<S: Swift.Sequence>(
        _ elements: S
    ) -> Publishers.Concatenate<Publishers.Sequence<S, Failure>, Self> where Output == S.Element {
        prepend(Publishers.Sequence(sequence: elements))
    }

    /// Delivers what another publisher delivers before the values of this one.
    ///
    /// ```
    /// ──1──2──|
    ///   prepend(──8──9──|)
    /// ──8──9────1──2──|
    /// ```
    ///
    /// This publisher is subscribed to once the other one has finished, and never if that fails. Demand, cancellation
    /// and threads: see ``Publishers/Concatenate``.
    @inlinable
    public func prepend<P: Publisher>(
        _ publisher: P
    ) -> Publishers.Concatenate<P, Self> where Failure == P.Failure, Output == P.Output {
        Publishers.Concatenate(prefix: publisher, suffix: self)
    }
}
