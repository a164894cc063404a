extension Publisher {
    /// Delivers a value in place of each that is nil.
    ///
    /// ```
    /// ──1──nil──3──|
    ///   replaceNil(with: 0)
    /// ──1───0───3──|
    /// ```
    ///
    /// Demand, cancellation and the completion pass through, and values come on the thread that brings them.
    ///
    /// - Parameter output: The value.
    @inlinable
    public func replaceNil<T>(with output: T) -> Publishers.Map<Self, T> where Output == T? {
        // Like any value it is delivered by the upstream's thread, which a closure is not taken to allow.
        nonisolated(unsafe) let replacement = output
        return Publishers.Map(upstream: self) { $0 ?? replacement }
    }
}
