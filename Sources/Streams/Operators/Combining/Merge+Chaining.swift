/// Merging more publishers with merged ones makes no new level: `a.merge(with: b).merge(with: c)` merges three.
extension Publishers.Merge {
    /// These two and another, merged on one level.
    @inlinable
    public func merge<P: Publisher>(
        with other: P
    ) -> Publishers.Merge3<A, B, P>
    where
        P.Output == Output, P.Failure == Failure
    {
        Publishers.Merge3(a, b, other)
    }

    /// These two and two more, merged on one level.
    @inlinable
    public func merge<Z: Publisher, Y: Publisher>(
        with z: Z, _ y: Y
    ) -> Publishers.Merge4<A, B, Z, Y>
    where
        Z.Output == Output, Z.Failure == Failure,
        Y.Output == Output, Y.Failure == Failure
    {
        Publishers.Merge4(a, b, z, y)
    }

    /// These two and three more, merged on one level.
    @inlinable
    public func merge<Z: Publisher, Y: Publisher, X: Publisher>(
        with z: Z, _ y: Y, _ x: X
    ) -> Publishers.Merge5<A, B, Z, Y, X>
    where
        Z.Output == Output, Z.Failure == Failure,
        Y.Output == Output, Y.Failure == Failure,
        X.Output == Output, X.Failure == Failure
    {
        Publishers.Merge5(a, b, z, y, x)
    }

    /// These two and four more, merged on one level.
    @inlinable
    public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher>(
        with z: Z, _ y: Y, _ x: X, _ w: W
    ) -> Publishers.Merge6<A, B, Z, Y, X, W>
    where
        Z.Output == Output, Z.Failure == Failure,
        Y.Output == Output, Y.Failure == Failure,
        X.Output == Output, X.Failure == Failure,
        W.Output == Output, W.Failure == Failure
    {
        Publishers.Merge6(a, b, z, y, x, w)
    }

    /// These two and five more, merged on one level.
    @inlinable
    public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher, V: Publisher>(
        with z: Z, _ y: Y, _ x: X, _ w: W, _ v: V
    ) -> Publishers.Merge7<A, B, Z, Y, X, W, V>
    where
        Z.Output == Output, Z.Failure == Failure,
        Y.Output == Output, Y.Failure == Failure,
        X.Output == Output, X.Failure == Failure,
        W.Output == Output, W.Failure == Failure,
        V.Output == Output, V.Failure == Failure
    {
        Publishers.Merge7(a, b, z, y, x, w, v)
    }

    /// These two and six more, merged on one level.
    @inlinable
    public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher, V: Publisher, U: Publisher>(
        with z: Z, _ y: Y, _ x: X, _ w: W, _ v: V, _ u: U
    ) -> Publishers.Merge8<A, B, Z, Y, X, W, V, U>
    where
        Z.Output == Output, Z.Failure == Failure,
        Y.Output == Output, Y.Failure == Failure,
        X.Output == Output, X.Failure == Failure,
        W.Output == Output, W.Failure == Failure,
        V.Output == Output, V.Failure == Failure,
        U.Output == Output, U.Failure == Failure
    {
        Publishers.Merge8(a, b, z, y, x, w, v, u)
    }
}

extension Publishers.Merge3 {
    /// These three and another, merged on one level.
    @inlinable
    public func merge<P: Publisher>(
        with other: P
    ) -> Publishers.Merge4<A, B, C, P>
    where
        P.Output == Output, P.Failure == Failure
    {
        Publishers.Merge4(a, b, c, other)
    }

    /// These three and two more, merged on one level.
    @inlinable
    public func merge<Z: Publisher, Y: Publisher>(
        with z: Z, _ y: Y
    ) -> Publishers.Merge5<A, B, C, Z, Y>
    where
        Z.Output == Output, Z.Failure == Failure,
        Y.Output == Output, Y.Failure == Failure
    {
        Publishers.Merge5(a, b, c, z, y)
    }

    /// These three and three more, merged on one level.
    @inlinable
    public func merge<Z: Publisher, Y: Publisher, X: Publisher>(
        with z: Z, _ y: Y, _ x: X
    ) -> Publishers.Merge6<A, B, C, Z, Y, X>
    where
        Z.Output == Output, Z.Failure == Failure,
        Y.Output == Output, Y.Failure == Failure,
        X.Output == Output, X.Failure == Failure
    {
        Publishers.Merge6(a, b, c, z, y, x)
    }

    /// These three and four more, merged on one level.
    @inlinable
    public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher>(
        with z: Z, _ y: Y, _ x: X, _ w: W
    ) -> Publishers.Merge7<A, B, C, Z, Y, X, W>
    where
        Z.Output == Output, Z.Failure == Failure,
        Y.Output == Output, Y.Failure == Failure,
        X.Output == Output, X.Failure == Failure,
        W.Output == Output, W.Failure == Failure
    {
        Publishers.Merge7(a, b, c, z, y, x, w)
    }

    /// These three and five more, merged on one level.
    @inlinable
    public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher, V: Publisher>(
        with z: Z, _ y: Y, _ x: X, _ w: W, _ v: V
    ) -> Publishers.Merge8<A, B, C, Z, Y, X, W, V>
    where
        Z.Output == Output, Z.Failure == Failure,
        Y.Output == Output, Y.Failure == Failure,
        X.Output == Output, X.Failure == Failure,
        W.Output == Output, W.Failure == Failure,
        V.Output == Output, V.Failure == Failure
    {
        Publishers.Merge8(a, b, c, z, y, x, w, v)
    }
}

extension Publishers.Merge4 {
    /// These four and another, merged on one level.
    @inlinable
    public func merge<P: Publisher>(
        with other: P
    ) -> Publishers.Merge5<A, B, C, D, P>
    where
        P.Output == Output, P.Failure == Failure
    {
        Publishers.Merge5(a, b, c, d, other)
    }

    /// These four and two more, merged on one level.
    @inlinable
    public func merge<Z: Publisher, Y: Publisher>(
        with z: Z, _ y: Y
    ) -> Publishers.Merge6<A, B, C, D, Z, Y>
    where
        Z.Output == Output, Z.Failure == Failure,
        Y.Output == Output, Y.Failure == Failure
    {
        Publishers.Merge6(a, b, c, d, z, y)
    }

    /// These four and three more, merged on one level.
    @inlinable
    public func merge<Z: Publisher, Y: Publisher, X: Publisher>(
        with z: Z, _ y: Y, _ x: X
    ) -> Publishers.Merge7<A, B, C, D, Z, Y, X>
    where
        Z.Output == Output, Z.Failure == Failure,
        Y.Output == Output, Y.Failure == Failure,
        X.Output == Output, X.Failure == Failure
    {
        Publishers.Merge7(a, b, c, d, z, y, x)
    }

    /// These four and four more, merged on one level.
    @inlinable
    public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher>(
        with z: Z, _ y: Y, _ x: X, _ w: W
    ) -> Publishers.Merge8<A, B, C, D, Z, Y, X, W>
    where
        Z.Output == Output, Z.Failure == Failure,
        Y.Output == Output, Y.Failure == Failure,
        X.Output == Output, X.Failure == Failure,
        W.Output == Output, W.Failure == Failure
    {
        Publishers.Merge8(a, b, c, d, z, y, x, w)
    }
}

extension Publishers.Merge5 {
    /// These five and another, merged on one level.
    @inlinable
    public func merge<P: Publisher>(
        with other: P
    ) -> Publishers.Merge6<A, B, C, D, E, P>
    where
        P.Output == Output, P.Failure == Failure
    {
        Publishers.Merge6(a, b, c, d, e, other)
    }

    /// These five and two more, merged on one level.
    @inlinable
    public func merge<Z: Publisher, Y: Publisher>(
        with z: Z, _ y: Y
    ) -> Publishers.Merge7<A, B, C, D, E, Z, Y>
    where
        Z.Output == Output, Z.Failure == Failure,
        Y.Output == Output, Y.Failure == Failure
    {
        Publishers.Merge7(a, b, c, d, e, z, y)
    }

    /// These five and three more, merged on one level.
    @inlinable
    public func merge<Z: Publisher, Y: Publisher, X: Publisher>(
        with z: Z, _ y: Y, _ x: X
    ) -> Publishers.Merge8<A, B, C, D, E, Z, Y, X>
    where
        Z.Output == Output, Z.Failure == Failure,
        Y.Output == Output, Y.Failure == Failure,
        X.Output == Output, X.Failure == Failure
    {
        Publishers.Merge8(a, b, c, d, e, z, y, x)
    }
}

extension Publishers.Merge6 {
    /// These six and another, merged on one level.
    @inlinable
    public func merge<P: Publisher>(
        with other: P
    ) -> Publishers.Merge7<A, B, C, D, E, F, P>
    where
        P.Output == Output, P.Failure == Failure
    {
        Publishers.Merge7(a, b, c, d, e, f, other)
    }

    /// These six and two more, merged on one level.
    @inlinable
    public func merge<Z: Publisher, Y: Publisher>(
        with z: Z, _ y: Y
    ) -> Publishers.Merge8<A, B, C, D, E, F, Z, Y>
    where
        Z.Output == Output, Z.Failure == Failure,
        Y.Output == Output, Y.Failure == Failure
    {
        Publishers.Merge8(a, b, c, d, e, f, z, y)
    }
}

extension Publishers.Merge7 {
    /// These seven and another, merged on one level.
    @inlinable
    public func merge<P: Publisher>(
        with other: P
    ) -> Publishers.Merge8<A, B, C, D, E, F, G, P>
    where
        P.Output == Output, P.Failure == Failure
    {
        Publishers.Merge8(a, b, c, d, e, f, g, other)
    }
}
