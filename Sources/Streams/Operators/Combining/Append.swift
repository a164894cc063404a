extension Publisher {
    /// Delivers more values once this publisher has finished.
    ///
    /// ```
    /// ──1──2──|
    ///   append(8, 9)
    /// ──1──2──8──9|
    /// ```
    ///
    /// Nothing is appended to a stream that fails. Demand, cancellation and threads: see ``Publishers/Concatenate``.
    @inlinable
    public func append(
        _ elements: Output...
    ) -> Publishers.Concatenate<Self, Publishers.Sequence<[Output], Failure>> {
        append(elements)
    }

    /// Delivers the elements of a sequence once this publisher has finished.
    ///
    /// ```
    /// ──1──2──|
    ///   append([8, 9])
    /// ──1──2──8──9|
    /// ```
    ///
    /// Nothing is appended to a stream that fails. Demand, cancellation and threads: see ``Publishers/Concatenate``.
    @inlinable
    public func append<S: Swift.Sequence>(
        _ elements: S
    ) -> Publishers.Concatenate<Self, Publishers.Sequence<S, Failure>> where Output == S.Element {
        append(Publishers.Sequence(sequence: elements))
    }

    /// Delivers what another publisher delivers once this one has finished.
    ///
    /// ```
    /// ──1──2──|
    ///   append(──8──9──|)
    /// ──1──2────8──9──|
    /// ```
    ///
    /// Nothing is appended to a stream that fails. Demand, cancellation and threads: see ``Publishers/Concatenate``.
    @inlinable
    public func append<P: Publisher>(
        _ publisher: P
    ) -> Publishers.Concatenate<Self, P> where Failure == P.Failure, Output == P.Output {
        Publishers.Concatenate(prefix: self, suffix: publisher)
    }
}
