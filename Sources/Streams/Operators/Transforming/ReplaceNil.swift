extension Publisher {
    /// Replaces each value that is nil.
    ///
    /// ```
    /// ──1──nil──3──|
    ///   replaceNil(with: 0)
    /// ──1───0───3──|
    /// ```
    ///
    /// Demand, the completion and the cancellation pass through. All signals stay on the upstream's threads.
    ///
    /// - Parameter output: The replacement.
    @inlinable
    public func replaceNil<T>(with output: T) -> Publishers.Map<Self, T> where Output == T? {
        // Unchecked, since `T` need not be `Sendable`: the upstream delivers the replacement as it delivers its values.
        nonisolated(unsafe) let replacement = output
        return Publishers.Map(upstream: self) { $0 ?? replacement }
    }
}
