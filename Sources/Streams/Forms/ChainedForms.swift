// Operators of one kind in a row are one operator, so each value passes one subscriber instead of several.

extension Publishers.Map {
    /// Transforms each value further. See ``Publisher/map(_:)->Publishers.Map<Self,T>``.
    ///
    /// - Parameter transform: A closure that returns the new value, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func map<T>(_ transform: @escaping @Sendable (Output) -> T) -> Publishers.Map<Upstream, T> {
        let first = self.transform
        return Publishers.Map<Upstream, T>(upstream: upstream) { transform(first($0)) }
    }

    /// Transforms each value further with a closure that can throw. See ``Publisher/tryMap(_:)``.
    ///
    /// - Parameter transform: A closure that returns the new value, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func tryMap<T>(_ transform: @escaping @Sendable (Output) throws -> T) -> Publishers.TryMap<Upstream, T> {
        let first = self.transform
        return Publishers.TryMap<Upstream, T>(upstream: upstream) { try transform(first($0)) }
    }
}

extension Publishers.TryMap {
    /// Transforms each value further.
    ///
    /// - Parameter transform: A closure that returns the new value, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func map<T>(_ transform: @escaping @Sendable (Output) -> T) -> Publishers.TryMap<Upstream, T> {
        tryMap(transform)
    }

    /// Transforms each value further with a closure that can throw. See ``Publisher/tryMap(_:)``.
    ///
    /// - Parameter transform: A closure that returns the new value, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func tryMap<T>(_ transform: @escaping @Sendable (Output) throws -> T) -> Publishers.TryMap<Upstream, T> {
        let first = self.transform
        return Publishers.TryMap<Upstream, T>(upstream: upstream) { try transform(first($0)) }
    }
}

extension Publishers.Filter {
    /// Publishes the values that also satisfy another condition. See ``Publisher/filter(_:)``.
    ///
    /// - Parameter isIncluded: A closure that returns whether to publish a value that satisfies the first condition.
    @preconcurrency
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> Publishers.Filter<Upstream> {
        let first = self.isIncluded
        return Publishers.Filter(upstream: upstream) { first($0) && isIncluded($0) }
    }

    /// Publishes the values that also satisfy another condition that can throw. See ``Publisher/tryFilter(_:)``.
    ///
    /// - Parameter isIncluded: A closure that returns whether to publish a value that satisfies the first condition.
    @preconcurrency
    @inlinable
    public func tryFilter(_ isIncluded: @escaping @Sendable (Output) throws -> Bool) -> Publishers.TryFilter<Upstream> {
        let first = self.isIncluded
        return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
    }
}

extension Publishers.TryFilter {
    /// Publishes the values that also satisfy another condition.
    ///
    /// - Parameter isIncluded: A closure that returns whether to publish a value that satisfies the first condition.
    @preconcurrency
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> Publishers.TryFilter<Upstream> {
        tryFilter(isIncluded)
    }

    /// Publishes the values that also satisfy another condition that can throw. See ``Publisher/tryFilter(_:)``.
    ///
    /// - Parameter isIncluded: A closure that returns whether to publish a value that satisfies the first condition.
    @preconcurrency
    @inlinable
    public func tryFilter(_ isIncluded: @escaping @Sendable (Output) throws -> Bool) -> Publishers.TryFilter<Upstream> {
        let first = self.isIncluded
        return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
    }
}

extension Publishers.CompactMap {
    /// Transforms the remaining values further, and drops the results that are nil. See ``Publisher/compactMap(_:)``.
    ///
    /// - Parameter transform: A closure that returns the new value or nil, called on the delivering thread.
    @preconcurrency
    @inlinable
    public func compactMap<T>(_ transform: @escaping @Sendable (Output) -> T?) -> Publishers.CompactMap<Upstream, T> {
        let first = self.transform
        return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).flatMap(transform) }
    }

    /// Transforms the remaining values further.
    ///
    /// - Parameter transform: A closure that returns the new value, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func map<T>(_ transform: @escaping @Sendable (Output) -> T) -> Publishers.CompactMap<Upstream, T> {
        let first = self.transform
        return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).map(transform) }
    }
}

extension Publishers.TryCompactMap {
    /// Transforms the remaining values further with a closure that can throw, and drops the results that are nil. See
    /// ``Publisher/tryCompactMap(_:)``.
    ///
    /// - Parameter transform: A closure that returns the new value or nil, called on the delivering thread.
    @preconcurrency
    @inlinable
    public func compactMap<T>(
        _ transform: @escaping @Sendable (Output) throws -> T?
    ) -> Publishers.TryCompactMap<Upstream, T> {
        let first = self.transform
        return Publishers.TryCompactMap<Upstream, T>(upstream: upstream) { try first($0).flatMap(transform) }
    }
}

// The chained forms of `merge`, which merge on one level.

extension Publishers.Merge {
    /// Merges one more publisher without nesting.
    @inlinable
    public func merge<P: Publisher<Output, Failure>>(with other: P) -> Publishers.Merge3<A, B, P> {
        Publishers.Merge3(a, b, other)
    }

    /// Merges two more publishers without nesting.
    @inlinable
    public func merge<Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>>(
        with z: Z, _ y: Y
    ) -> Publishers.Merge4<A, B, Z, Y> {
        Publishers.Merge4(a, b, z, y)
    }

    /// Merges three more publishers without nesting.
    @inlinable
    public func merge<Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>, X: Publisher<Output, Failure>>(
        with z: Z, _ y: Y, _ x: X
    ) -> Publishers.Merge5<A, B, Z, Y, X> {
        Publishers.Merge5(a, b, z, y, x)
    }

    /// Merges four more publishers without nesting.
    @inlinable
    public func merge<
        Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>, X: Publisher<Output, Failure>,
        W: Publisher<Output, Failure>
    >(with z: Z, _ y: Y, _ x: X, _ w: W) -> Publishers.Merge6<A, B, Z, Y, X, W> {
        Publishers.Merge6(a, b, z, y, x, w)
    }

    /// Merges five more publishers without nesting.
    @inlinable
    public func merge<
        Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>, X: Publisher<Output, Failure>,
        W: Publisher<Output, Failure>, V: Publisher<Output, Failure>
    >(with z: Z, _ y: Y, _ x: X, _ w: W, _ v: V) -> Publishers.Merge7<A, B, Z, Y, X, W, V> {
        Publishers.Merge7(a, b, z, y, x, w, v)
    }

    /// Merges six more publishers without nesting.
    @inlinable
    public func merge<
        Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>, X: Publisher<Output, Failure>,
        W: Publisher<Output, Failure>, V: Publisher<Output, Failure>, U: Publisher<Output, Failure>
    >(with z: Z, _ y: Y, _ x: X, _ w: W, _ v: V, _ u: U) -> Publishers.Merge8<A, B, Z, Y, X, W, V, U> {
        Publishers.Merge8(a, b, z, y, x, w, v, u)
    }
}

extension Publishers.Merge3 {
    /// Merges one more publisher without nesting.
    @inlinable
    public func merge<P: Publisher<Output, Failure>>(with other: P) -> Publishers.Merge4<A, B, C, P> {
        Publishers.Merge4(a, b, c, other)
    }

    /// Merges two more publishers without nesting.
    @inlinable
    public func merge<Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>>(
        with z: Z, _ y: Y
    ) -> Publishers.Merge5<A, B, C, Z, Y> {
        Publishers.Merge5(a, b, c, z, y)
    }

    /// Merges three more publishers without nesting.
    @inlinable
    public func merge<Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>, X: Publisher<Output, Failure>>(
        with z: Z, _ y: Y, _ x: X
    ) -> Publishers.Merge6<A, B, C, Z, Y, X> {
        Publishers.Merge6(a, b, c, z, y, x)
    }

    /// Merges four more publishers without nesting.
    @inlinable
    public func merge<
        Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>, X: Publisher<Output, Failure>,
        W: Publisher<Output, Failure>
    >(with z: Z, _ y: Y, _ x: X, _ w: W) -> Publishers.Merge7<A, B, C, Z, Y, X, W> {
        Publishers.Merge7(a, b, c, z, y, x, w)
    }

    /// Merges five more publishers without nesting.
    @inlinable
    public func merge<
        Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>, X: Publisher<Output, Failure>,
        W: Publisher<Output, Failure>, V: Publisher<Output, Failure>
    >(with z: Z, _ y: Y, _ x: X, _ w: W, _ v: V) -> Publishers.Merge8<A, B, C, Z, Y, X, W, V> {
        Publishers.Merge8(a, b, c, z, y, x, w, v)
    }
}

extension Publishers.Merge4 {
    /// Merges one more publisher without nesting.
    @inlinable
    public func merge<P: Publisher<Output, Failure>>(with other: P) -> Publishers.Merge5<A, B, C, D, P> {
        Publishers.Merge5(a, b, c, d, other)
    }

    /// Merges two more publishers without nesting.
    @inlinable
    public func merge<Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>>(
        with z: Z, _ y: Y
    ) -> Publishers.Merge6<A, B, C, D, Z, Y> {
        Publishers.Merge6(a, b, c, d, z, y)
    }

    /// Merges three more publishers without nesting.
    @inlinable
    public func merge<Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>, X: Publisher<Output, Failure>>(
        with z: Z, _ y: Y, _ x: X
    ) -> Publishers.Merge7<A, B, C, D, Z, Y, X> {
        Publishers.Merge7(a, b, c, d, z, y, x)
    }

    /// Merges four more publishers without nesting.
    @inlinable
    public func merge<
        Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>, X: Publisher<Output, Failure>,
        W: Publisher<Output, Failure>
    >(with z: Z, _ y: Y, _ x: X, _ w: W) -> Publishers.Merge8<A, B, C, D, Z, Y, X, W> {
        Publishers.Merge8(a, b, c, d, z, y, x, w)
    }
}

extension Publishers.Merge5 {
    /// Merges one more publisher without nesting.
    @inlinable
    public func merge<P: Publisher<Output, Failure>>(with other: P) -> Publishers.Merge6<A, B, C, D, E, P> {
        Publishers.Merge6(a, b, c, d, e, other)
    }

    /// Merges two more publishers without nesting.
    @inlinable
    public func merge<Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>>(
        with z: Z, _ y: Y
    ) -> Publishers.Merge7<A, B, C, D, E, Z, Y> {
        Publishers.Merge7(a, b, c, d, e, z, y)
    }

    /// Merges three more publishers without nesting.
    @inlinable
    public func merge<Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>, X: Publisher<Output, Failure>>(
        with z: Z, _ y: Y, _ x: X
    ) -> Publishers.Merge8<A, B, C, D, E, Z, Y, X> {
        Publishers.Merge8(a, b, c, d, e, z, y, x)
    }
}

extension Publishers.Merge6 {
    /// Merges one more publisher without nesting.
    @inlinable
    public func merge<P: Publisher<Output, Failure>>(with other: P) -> Publishers.Merge7<A, B, C, D, E, F, P> {
        Publishers.Merge7(a, b, c, d, e, f, other)
    }

    /// Merges two more publishers without nesting.
    @inlinable
    public func merge<Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>>(
        with z: Z, _ y: Y
    ) -> Publishers.Merge8<A, B, C, D, E, F, Z, Y> {
        Publishers.Merge8(a, b, c, d, e, f, z, y)
    }
}

extension Publishers.Merge7 {
    /// Merges one more publisher without nesting.
    @inlinable
    public func merge<P: Publisher<Output, Failure>>(with other: P) -> Publishers.Merge8<A, B, C, D, E, F, G, P> {
        Publishers.Merge8(a, b, c, d, e, f, g, other)
    }
}
