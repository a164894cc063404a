extension Publisher {
    /// Publishes values before those of this publisher.
    ///
    /// ```
    /// ──────1──2──|
    ///   prepend(8, 9)
    /// 8──9──1──2──|
    /// ```
    ///
    /// Otherwise like `prepend(_:)` with a publisher.
    ///
    /// - Parameter elements: The values.
    @inlinable
    public func prepend(_ elements: Output...) -> Publishers.Concatenate<Publishers.Sequence<[Output], Failure>, Self> {
        prepend(elements)
    }

    /// Publishes the elements of a sequence before the values of this publisher.
    ///
    /// Otherwise like `prepend(_:)` with a publisher.
    ///
    /// - Parameter elements: The sequence.
    @inlinable
    public func prepend<S: Swift.Sequence>(
        _ elements: S
    ) -> Publishers.Concatenate<Publishers.Sequence<S, Failure>, Self> where Output == S.Element {
        prepend(Publishers.Sequence(sequence: elements))
    }

    /// Publishes the values of another publisher before those of this one.
    ///
    /// ```
    /// ──1──2──|
    ///   prepend(──8──9──|)
    /// ──8──9────1──2──|
    /// ```
    ///
    /// This publisher is subscribed to when the other one has finished. Repeated prepending does not deepen the stack.
    ///
    /// **Demand.** The demand that the other publisher leaves unanswered is requested from this one.
    ///
    /// **Completion.** The completion of this publisher is delivered, and a failure of the other one at once.
    ///
    /// **Cancellation.** Cancels the current publisher.
    ///
    /// **Threads.** This publisher is subscribed to on the thread on which the other one finishes.
    ///
    /// - Parameter publisher: The other publisher.
    @inlinable
    public func prepend<P: Publisher>(
        _ publisher: P
    ) -> Publishers.Concatenate<P, Self> where Failure == P.Failure, Output == P.Output {
        Publishers.Concatenate(prefix: publisher, suffix: self)
    }
}
