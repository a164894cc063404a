// A transformation of what is transformed already is one operator: one subscriber on the way of each value instead of
// two.

extension Publishers.CompactMap {
    /// Transforms the values that are left further, and leaves out those that become nil.
    ///
    /// ```
    /// ──"1"──"x"──"3"──"4"──|
    ///   compactMap(Int.init).compactMap { $0.isMultiple(of: 2) ? $0 * 10 : nil }
    /// ──────────────────40──|
    /// ```
    ///
    /// - Parameter transform: Called with each value that is left, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func compactMap<T>(
        _ transform: @escaping @Sendable (Output) -> T?
    ) -> Publishers.CompactMap<Upstream, T> {
        let first = self.transform
        return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).flatMap(transform) }
    }

    /// Transforms the values that are left further.
    ///
    /// - Parameter transform: Called with each value that is left, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func map<T>(_ transform: @escaping @Sendable (Output) -> T) -> Publishers.CompactMap<Upstream, T> {
        let first = self.transform
        return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).map(transform) }
    }
}

extension Publishers.TryCompactMap {
    /// Transforms the values that are left further, and leaves out those that become nil; an error thrown by either
    /// transformation ends the stream.
    ///
    /// - Parameter transform: Called with each value that is left, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func compactMap<T>(
        _ transform: @escaping @Sendable (Output) throws -> T?
    ) -> Publishers.TryCompactMap<Upstream, T> {
        let first = self.transform
        return Publishers.TryCompactMap<Upstream, T>(upstream: upstream) { try first($0).flatMap(transform) }
    }
}
