extension Publisher {
    /// Delivers what this publisher and others of its type deliver, as it comes. See ``Publishers/MergeMany``.
    @inlinable
    public func merge(with other: Self) -> Publishers.MergeMany<Self> {
        Publishers.MergeMany(self, other)
    }

    /// Delivers what this publisher and another one deliver, as it comes.
    ///
    /// ```
    /// ──1─────2─────3──|
    ///   merge(with: ────8─────9──|)
    /// ──1──8──2──9──3──|
    /// ```
    ///
    /// Demand, completion, cancellation and threads: see ``Publishers/Merge``.
    @inlinable
    public func merge<P: Publisher>(
        with other: P
    ) -> Publishers.Merge<Self, P>
    where
        P.Output == Output, P.Failure == Failure
    {
        Publishers.Merge(self, other)
    }

    /// Delivers what this and more publishers deliver, as it comes. See ``Publishers/Merge``.
    @inlinable
    public func merge<B: Publisher, C: Publisher>(
        with b: B, _ c: C
    ) -> Publishers.Merge3<Self, B, C>
    where
        B.Output == Output, B.Failure == Failure,
        C.Output == Output, C.Failure == Failure
    {
        Publishers.Merge3(self, b, c)
    }

    /// Delivers what this and more publishers deliver, as it comes. See ``Publishers/Merge``.
    @inlinable
    public func merge<B: Publisher, C: Publisher, D: Publisher>(
        with b: B, _ c: C, _ d: D
    ) -> Publishers.Merge4<Self, B, C, D>
    where
        B.Output == Output, B.Failure == Failure,
        C.Output == Output, C.Failure == Failure,
        D.Output == Output, D.Failure == Failure
    {
        Publishers.Merge4(self, b, c, d)
    }

    /// Delivers what this and more publishers deliver, as it comes. See ``Publishers/Merge``.
    @inlinable
    public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher>(
        with b: B, _ c: C, _ d: D, _ e: E
    ) -> Publishers.Merge5<Self, B, C, D, E>
    where
        B.Output == Output, B.Failure == Failure,
        C.Output == Output, C.Failure == Failure,
        D.Output == Output, D.Failure == Failure,
        E.Output == Output, E.Failure == Failure
    {
        Publishers.Merge5(self, b, c, d, e)
    }

    /// Delivers what this and more publishers deliver, as it comes. See ``Publishers/Merge``.
    @inlinable
    public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>(
        with b: B, _ c: C, _ d: D, _ e: E, _ f: F
    ) -> Publishers.Merge6<Self, B, C, D, E, F>
    where
        B.Output == Output, B.Failure == Failure,
        C.Output == Output, C.Failure == Failure,
        D.Output == Output, D.Failure == Failure,
        E.Output == Output, E.Failure == Failure,
        F.Output == Output, F.Failure == Failure
    {
        Publishers.Merge6(self, b, c, d, e, f)
    }

    /// Delivers what this and more publishers deliver, as it comes. See ``Publishers/Merge``.
    @inlinable
    public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher>(
        with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> Publishers.Merge7<Self, B, C, D, E, F, G>
    where
        B.Output == Output, B.Failure == Failure,
        C.Output == Output, C.Failure == Failure,
        D.Output == Output, D.Failure == Failure,
        E.Output == Output, E.Failure == Failure,
        F.Output == Output, F.Failure == Failure,
        G.Output == Output, G.Failure == Failure
    {
        Publishers.Merge7(self, b, c, d, e, f, g)
    }

    /// Delivers what this and more publishers deliver, as it comes. See ``Publishers/Merge``.
    @inlinable
    public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher>(
        with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
    ) -> Publishers.Merge8<Self, B, C, D, E, F, G, H>
    where
        B.Output == Output, B.Failure == Failure,
        C.Output == Output, C.Failure == Failure,
        D.Output == Output, D.Failure == Failure,
        E.Output == Output, E.Failure == Failure,
        F.Output == Output, F.Failure == Failure,
        G.Output == Output, G.Failure == Failure,
        H.Output == Output, H.Failure == Failure
    {
        Publishers.Merge8(self, b, c, d, e, f, g, h)
    }
}

extension Publishers {
    /// A publisher that delivers what two publishers deliver, as it comes.
    ///
    /// A subscriber that asks for everything gets it without delay: both are asked for everything. One that asks for a
    /// number of values makes each publisher be asked for one at a time, and at most that one be kept. The values of
    /// one publisher stay in order; values that come at once from several threads are delivered one after the other.
    ///
    /// The stream completes when all its publishers have completed, and fails as soon as one of them does, which
    /// cancels the others. Cancellation reaches all of them, on the thread that cancels.
    public struct Merge<A: Publisher, B: Publisher>: Publisher
    where
        A.Output == B.Output, A.Failure == B.Failure
    {
        public typealias Output = A.Output
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B

        /// Makes a publisher that subscribes to these in this order.
        @inlinable
        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let coordinator = MergeCoordinator.merging(into: subscriber)
            coordinator.join(a)
            coordinator.join(b)
            coordinator.seal()
        }
    }
}

extension Publishers.Merge: Equatable where A: Equatable, B: Equatable {}
extension Publishers.Merge: Sendable where A: Sendable, B: Sendable {}

extension MergeCoordinator {
    /// Makes a coordinator of publishers that are joined to it one after the other, and hands it to the subscriber.
    @inlinable
    static func merging(into downstream: Downstream) -> MergeCoordinator {
        let coordinator = MergeCoordinator("Merge", capacity: .unlimited, downstream: downstream)
        downstream.receive(subscription: coordinator)
        return coordinator
    }

    /// Lets one more publisher flow in, unless the stream is over.
    @inlinable
    func join<P: Publisher>(_ publisher: P) where P.Output == Downstream.Input, P.Failure == Downstream.Failure {
        guard let inner = open() else { return }
        publisher.subscribe(InnerSubscriber(inner: inner, coordinator: self))
    }

    /// Tells that no more publishers will join, so that the stream completes with those that have.
    @inlinable
    func seal() {
        submit(.outerEnd(.finished))
    }
}

extension Publishers {
    /// A publisher that delivers what any number of publishers of one type deliver, as it comes. See ``Merge`` for how.
    public struct MergeMany<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publishers, in the order in which they are subscribed to.
        public let publishers: [Upstream]

        /// Makes a publisher that subscribes to these in this order.
        @inlinable
        public init(_ upstream: Upstream...) {
            publishers = upstream
        }

        /// Makes a publisher that subscribes to these in this order.
        @inlinable
        public init<S: Swift.Sequence>(_ upstream: S) where Upstream == S.Element {
            publishers = Array(upstream)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let coordinator = MergeCoordinator.merging(into: subscriber)
            for publisher in publishers { coordinator.join(publisher) }
            coordinator.seal()
        }

        /// Merges one more publisher of the same type, without a new level.
        @inlinable
        public func merge(with other: Upstream) -> MergeMany<Upstream> {
            MergeMany(publishers + [other])
        }
    }
}

extension Publishers.MergeMany: Equatable where Upstream: Equatable {}
extension Publishers.MergeMany: Sendable where Upstream: Sendable {}

extension Collection where Element: Publisher {
    /// Delivers what all the publishers deliver, as it comes. See ``Publishers/Merge``.
    @inlinable
    @_disfavoredOverload
    public func merge() -> Publishers.MergeMany<Element> {
        Publishers.MergeMany(self)
    }
}
