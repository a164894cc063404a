extension Publisher {
    /// Passes on the first values, and finishes with the last of them.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   prefix(2)
    /// ──1──2|
    /// ```
    ///
    /// The upstream is cancelled as soon as the last value is out. With a length of zero the stream finishes at once,
    /// without waiting for demand. Demand, cancellation and a completion that comes sooner pass through. Signals come
    /// on the thread that the upstream sends them on.
    ///
    /// - Parameter maxLength: How many values are passed on at most. A negative number is a programmer's error.
    @inlinable
    public func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
        output(in: ..<maxLength)
    }
}
