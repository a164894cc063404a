extension Publisher {
    /// Publishes the first values, and finishes with the last of them.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   prefix(2)
    /// ──1──2|
    /// ```
    ///
    /// Demand and the cancellation pass through. All signals stay on the upstream's threads.
    ///
    /// **Completion.** The last value cancels the upstream; with a length of zero, the subscription does. A completion
    /// of the upstream before that passes through.
    ///
    /// - Parameter maxLength: The maximum number of values, which must not be negative.
    @inlinable
    public func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
        output(in: ..<maxLength)
    }
}
