extension Publisher {
    /// Publishes the values of this publisher and of another one of its type as they come. See ``Publishers/MergeMany``.
    @inlinable
    public func merge(with other: Self) -> Publishers.MergeMany<Self> {
        Publishers.MergeMany(self, other)
    }

    /// Publishes the values of this publisher and of another one as they come.
    ///
    /// ```
    /// ──1─────2─────3──|
    ///   merge(with: ────8─────9──|)
    /// ──1──8──2──9──3──|
    /// ```
    ///
    /// Demand, completion, cancellation and threads: see ``Publishers/Merge``.
    @inlinable
    public func merge<P: Publisher<Output, Failure>>(with other: P) -> Publishers.Merge<Self, P> {
        Publishers.Merge(self, other)
    }

    /// Publishes the values of this publisher and of two more as they come. See ``Publishers/Merge``.
    @inlinable
    public func merge<B: Publisher<Output, Failure>, C: Publisher<Output, Failure>>(
        with b: B, _ c: C
    ) -> Publishers.Merge3<Self, B, C> {
        Publishers.Merge3(self, b, c)
    }

    /// Publishes the values of this publisher and of three more as they come. See ``Publishers/Merge``.
    @inlinable
    public func merge<B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>>(
        with b: B, _ c: C, _ d: D
    ) -> Publishers.Merge4<Self, B, C, D> {
        Publishers.Merge4(self, b, c, d)
    }

    /// Publishes the values of this publisher and of four more as they come. See ``Publishers/Merge``.
    @inlinable
    public func merge<
        B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>,
        E: Publisher<Output, Failure>
    >(with b: B, _ c: C, _ d: D, _ e: E) -> Publishers.Merge5<Self, B, C, D, E> {
        Publishers.Merge5(self, b, c, d, e)
    }

    /// Publishes the values of this publisher and of five more as they come. See ``Publishers/Merge``.
    @inlinable
    public func merge<
        B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>,
        E: Publisher<Output, Failure>, F: Publisher<Output, Failure>
    >(with b: B, _ c: C, _ d: D, _ e: E, _ f: F) -> Publishers.Merge6<Self, B, C, D, E, F> {
        Publishers.Merge6(self, b, c, d, e, f)
    }

    /// Publishes the values of this publisher and of six more as they come. See ``Publishers/Merge``.
    @inlinable
    public func merge<
        B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>,
        E: Publisher<Output, Failure>, F: Publisher<Output, Failure>, G: Publisher<Output, Failure>
    >(with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) -> Publishers.Merge7<Self, B, C, D, E, F, G> {
        Publishers.Merge7(self, b, c, d, e, f, g)
    }

    /// Publishes the values of this publisher and of seven more as they come. See ``Publishers/Merge``.
    @inlinable
    public func merge<
        B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>,
        E: Publisher<Output, Failure>, F: Publisher<Output, Failure>, G: Publisher<Output, Failure>,
        H: Publisher<Output, Failure>
    >(with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) -> Publishers.Merge8<Self, B, C, D, E, F, G, H> {
        Publishers.Merge8(self, b, c, d, e, f, g, h)
    }
}

extension Publishers {
    /// A publisher that publishes the values of two publishers as they come.
    ///
    /// **Demand.** With unlimited demand all values of each publisher are requested. With limited demand one value at a
    /// time is requested from each, and buffered until the subscriber requests it.
    ///
    /// **Completion.** Finishes when all publishers have. A failure of one is delivered at once and cancels the others.
    ///
    /// **Cancellation.** Cancels all publishers.
    ///
    /// **Threads.** The values of one publisher stay in order. Values from several threads are delivered one by one.
    public struct Merge<A: Publisher, B: Publisher>: Publisher where A.Output == B.Output, A.Failure == B.Failure {
        public typealias Output = A.Output
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B

        /// Creates a publisher that subscribes to publishers in this order.
        @inlinable
        public init(_ a: A, _ b: B) {
            (self.a, self.b) = (a, b)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let coordinator = MergeCoordinator.merging(into: subscriber)
            coordinator.subscribe(to: a)
            coordinator.subscribe(to: b)
            coordinator.submit(.outerCompletion(.finished))
        }
    }

    /// A publisher that publishes the values of any number of publishers of one type as they come. See ``Merge``.
    public struct MergeMany<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publishers, in the order in which they are subscribed to.
        public let publishers: [Upstream]

        /// Creates a publisher that subscribes to publishers in this order.
        @inlinable
        public init(_ upstream: Upstream...) {
            publishers = upstream
        }

        /// Creates a publisher that subscribes to the publishers of a sequence in their order.
        @inlinable
        public init<S: Swift.Sequence>(_ upstream: S) where Upstream == S.Element {
            publishers = Array(upstream)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let coordinator = MergeCoordinator.merging(into: subscriber)
            for publisher in publishers { coordinator.subscribe(to: publisher) }
            coordinator.submit(.outerCompletion(.finished))
        }

        /// Merges another publisher of the same type without nesting.
        @inlinable
        public func merge(with other: Upstream) -> MergeMany<Upstream> {
            MergeMany(publishers + [other])
        }
    }
}

extension Publishers.Merge: Equatable where A: Equatable, B: Equatable {}
extension Publishers.Merge: Sendable where A: Sendable, B: Sendable {}
extension Publishers.MergeMany: Equatable where Upstream: Equatable {}
extension Publishers.MergeMany: Sendable where Upstream: Sendable {}

extension Collection where Element: Publisher {
    /// Publishes the values of all publishers as they come. See ``Publishers/Merge``.
    @inlinable
    @_disfavoredOverload
    public func merge() -> Publishers.MergeMany<Element> {
        Publishers.MergeMany(self)
    }
}

extension MergeCoordinator {
    /// Creates a coordinator and hands it downstream before anything is subscribed to. The caller sends an outer
    /// completion after the last publisher.
    @inlinable
    static func merging(into downstream: Downstream) -> MergeCoordinator {
        let coordinator = MergeCoordinator("Merge", downstream: downstream)
        downstream.receive(subscription: coordinator)
        return coordinator
    }
}

// The chained forms, which merge on one level.

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
