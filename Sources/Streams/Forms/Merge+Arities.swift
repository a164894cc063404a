// `merge` of three to eight publishers. `Merge.swift` has that of two, and of any number of one type.

extension Publisher {
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
    /// A publisher that publishes the values of three publishers as they come. See ``Merge``.
    public struct Merge3<A: Publisher, B: Publisher, C: Publisher>: Operators.MergingPublisher
    where A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure {
        public typealias Output = A.Output
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B
        /// The third publisher.
        public let c: C

        /// Creates a publisher that subscribes to publishers in this order.
        @inlinable
        public init(_ a: A, _ b: B, _ c: C) {
            (self.a, self.b, self.c) = (a, b, c)
        }

        @inlinable
        public func _merge<S: Subscriber>(into subscriber: S, delayingErrors: Bool)
        where S.Input == Output, S.Failure == Failure {
            let coordinator = MergeCoordinator.merging(into: subscriber, delayingErrors: delayingErrors)
            coordinator.subscribe(to: a)
            coordinator.subscribe(to: b)
            coordinator.subscribe(to: c)
            coordinator.submit(.outerCompletion(.finished))
        }
    }

    /// A publisher that publishes the values of four publishers as they come. See ``Merge``.
    public struct Merge4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Operators.MergingPublisher
    where
        A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure,
        A.Output == D.Output, A.Failure == D.Failure
    {
        public typealias Output = A.Output
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B
        /// The third publisher.
        public let c: C
        /// The fourth publisher.
        public let d: D

        /// Creates a publisher that subscribes to publishers in this order.
        @inlinable
        public init(_ a: A, _ b: B, _ c: C, _ d: D) {
            (self.a, self.b, self.c, self.d) = (a, b, c, d)
        }

        @inlinable
        public func _merge<S: Subscriber>(into subscriber: S, delayingErrors: Bool)
        where S.Input == Output, S.Failure == Failure {
            let coordinator = MergeCoordinator.merging(into: subscriber, delayingErrors: delayingErrors)
            coordinator.subscribe(to: a)
            coordinator.subscribe(to: b)
            coordinator.subscribe(to: c)
            coordinator.subscribe(to: d)
            coordinator.submit(.outerCompletion(.finished))
        }
    }

    /// A publisher that publishes the values of five publishers as they come. See ``Merge``.
    public struct Merge5<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher>: Operators
            .MergingPublisher
    where
        A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure,
        A.Output == D.Output, A.Failure == D.Failure, A.Output == E.Output, A.Failure == E.Failure
    {
        public typealias Output = A.Output
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B
        /// The third publisher.
        public let c: C
        /// The fourth publisher.
        public let d: D
        /// The fifth publisher.
        public let e: E

        /// Creates a publisher that subscribes to publishers in this order.
        @inlinable
        public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) {
            (self.a, self.b, self.c, self.d, self.e) = (a, b, c, d, e)
        }

        @inlinable
        public func _merge<S: Subscriber>(into subscriber: S, delayingErrors: Bool)
        where S.Input == Output, S.Failure == Failure {
            let coordinator = MergeCoordinator.merging(into: subscriber, delayingErrors: delayingErrors)
            coordinator.subscribe(to: a)
            coordinator.subscribe(to: b)
            coordinator.subscribe(to: c)
            coordinator.subscribe(to: d)
            coordinator.subscribe(to: e)
            coordinator.submit(.outerCompletion(.finished))
        }
    }

    /// A publisher that publishes the values of six publishers as they come. See ``Merge``.
    public struct Merge6<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>: Operators
            .MergingPublisher
    where
        A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure,
        A.Output == D.Output, A.Failure == D.Failure, A.Output == E.Output, A.Failure == E.Failure,
        A.Output == F.Output, A.Failure == F.Failure
    {
        public typealias Output = A.Output
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B
        /// The third publisher.
        public let c: C
        /// The fourth publisher.
        public let d: D
        /// The fifth publisher.
        public let e: E
        /// The sixth publisher.
        public let f: F

        /// Creates a publisher that subscribes to publishers in this order.
        @inlinable
        public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) {
            (self.a, self.b, self.c, self.d, self.e, self.f) = (a, b, c, d, e, f)
        }

        @inlinable
        public func _merge<S: Subscriber>(into subscriber: S, delayingErrors: Bool)
        where S.Input == Output, S.Failure == Failure {
            let coordinator = MergeCoordinator.merging(into: subscriber, delayingErrors: delayingErrors)
            coordinator.subscribe(to: a)
            coordinator.subscribe(to: b)
            coordinator.subscribe(to: c)
            coordinator.subscribe(to: d)
            coordinator.subscribe(to: e)
            coordinator.subscribe(to: f)
            coordinator.submit(.outerCompletion(.finished))
        }
    }

    /// A publisher that publishes the values of seven publishers as they come. See ``Merge``.
    public struct Merge7<
        A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher
    >: Operators.MergingPublisher
    where
        A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure,
        A.Output == D.Output, A.Failure == D.Failure, A.Output == E.Output, A.Failure == E.Failure,
        A.Output == F.Output, A.Failure == F.Failure, A.Output == G.Output, A.Failure == G.Failure
    {
        public typealias Output = A.Output
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B
        /// The third publisher.
        public let c: C
        /// The fourth publisher.
        public let d: D
        /// The fifth publisher.
        public let e: E
        /// The sixth publisher.
        public let f: F
        /// The seventh publisher.
        public let g: G

        /// Creates a publisher that subscribes to publishers in this order.
        @inlinable
        public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) {
            (self.a, self.b, self.c, self.d, self.e, self.f, self.g) = (a, b, c, d, e, f, g)
        }

        @inlinable
        public func _merge<S: Subscriber>(into subscriber: S, delayingErrors: Bool)
        where S.Input == Output, S.Failure == Failure {
            let coordinator = MergeCoordinator.merging(into: subscriber, delayingErrors: delayingErrors)
            coordinator.subscribe(to: a)
            coordinator.subscribe(to: b)
            coordinator.subscribe(to: c)
            coordinator.subscribe(to: d)
            coordinator.subscribe(to: e)
            coordinator.subscribe(to: f)
            coordinator.subscribe(to: g)
            coordinator.submit(.outerCompletion(.finished))
        }
    }

    /// A publisher that publishes the values of eight publishers as they come. See ``Merge``.
    public struct Merge8<
        A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher
    >: Operators.MergingPublisher
    where
        A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure,
        A.Output == D.Output, A.Failure == D.Failure, A.Output == E.Output, A.Failure == E.Failure,
        A.Output == F.Output, A.Failure == F.Failure, A.Output == G.Output, A.Failure == G.Failure,
        A.Output == H.Output, A.Failure == H.Failure
    {
        public typealias Output = A.Output
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B
        /// The third publisher.
        public let c: C
        /// The fourth publisher.
        public let d: D
        /// The fifth publisher.
        public let e: E
        /// The sixth publisher.
        public let f: F
        /// The seventh publisher.
        public let g: G
        /// The eighth publisher.
        public let h: H

        /// Creates a publisher that subscribes to publishers in this order.
        @inlinable
        public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) {
            (self.a, self.b, self.c, self.d, self.e, self.f, self.g, self.h) = (a, b, c, d, e, f, g, h)
        }

        @inlinable
        public func _merge<S: Subscriber>(into subscriber: S, delayingErrors: Bool)
        where S.Input == Output, S.Failure == Failure {
            let coordinator = MergeCoordinator.merging(into: subscriber, delayingErrors: delayingErrors)
            coordinator.subscribe(to: a)
            coordinator.subscribe(to: b)
            coordinator.subscribe(to: c)
            coordinator.subscribe(to: d)
            coordinator.subscribe(to: e)
            coordinator.subscribe(to: f)
            coordinator.subscribe(to: g)
            coordinator.subscribe(to: h)
            coordinator.submit(.outerCompletion(.finished))
        }
    }
}

extension Publishers.Merge3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.Merge3: Sendable where A: Sendable, B: Sendable, C: Sendable {}
extension Publishers.Merge4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
extension Publishers.Merge4: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable {}
extension Publishers.Merge5: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable {}
extension Publishers.Merge5: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable {}
extension Publishers.Merge6: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable {}
extension Publishers.Merge6: Sendable
where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable {}
extension Publishers.Merge7: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable, G: Equatable {}
extension Publishers.Merge7: Sendable
where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable {}
extension Publishers.Merge8: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable, G: Equatable, H: Equatable {}
extension Publishers.Merge8: Sendable
where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable {}
