// Two conditions in a row are one operator: one subscriber on the way of each value instead of two.

extension Publishers.Filter {
    /// Passes on the values that fulfil a further condition as well.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   filter { $0 > 1 }.filter { $0 < 4 }
    /// ─────2──3─────|
    /// ```
    ///
    /// - Parameter isIncluded: Called with each value that fulfils the first condition, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> Publishers.Filter<Upstream> {
        let first = self.isIncluded
        return Publishers.Filter(upstream: upstream) { first($0) && isIncluded($0) }
    }

    /// Passes on the values that fulfil a further condition as well; an error thrown ends the stream.
    ///
    /// - Parameter isIncluded: Called with each value that fulfils the first condition, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryFilter(
        _ isIncluded: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryFilter<Upstream> {
        let first = self.isIncluded
        return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
    }
}

extension Publishers.TryFilter {
    /// Passes on the values that fulfil a further condition as well.
    ///
    /// - Parameter isIncluded: Called with each value that fulfils the first condition, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> Publishers.TryFilter<Upstream> {
        tryFilter(isIncluded)
    }

    /// Passes on the values that fulfil a further condition as well; an error thrown by either condition ends the
    /// stream.
    ///
    /// - Parameter isIncluded: Called with each value that fulfils the first condition, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryFilter(
        _ isIncluded: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryFilter<Upstream> {
        let first = self.isIncluded
        return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
    }
}
