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
}

extension Publishers {
    /// A publisher that publishes the values of two publishers as they come.
    ///
    /// **Demand.** With unlimited demand all values of each publisher are requested. With limited demand one value at a
    /// time is requested from each, and buffered until the subscriber requests it.
    ///
    /// **Completion.** Finishes when all publishers have. A failure of one is delivered at once and cancels the others,
    /// unless ``Operators/MergingPublisher/delayingErrors()`` delays it.
    ///
    /// **Cancellation.** Cancels all publishers.
    ///
    /// **Threads.** The values of one publisher stay in order. Values from several threads are delivered one by one.
    public struct Merge<A: Publisher, B: Publisher>: Operators.MergingPublisher
    where A.Output == B.Output, A.Failure == B.Failure {
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
        public func _merge<S: Subscriber>(into subscriber: S, delayingErrors: Bool)
        where S.Input == Output, S.Failure == Failure {
            let coordinator = MergeCoordinator.merging(into: subscriber, delayingErrors: delayingErrors)
            coordinator.subscribe(to: a)
            coordinator.subscribe(to: b)
            coordinator.submit(.outerCompletion(.finished))
        }
    }

    /// A publisher that publishes the values of any number of publishers of one type as they come. See ``Merge``.
    public struct MergeMany<Upstream: Publisher>: Operators.MergingPublisher {
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
        public func _merge<S: Subscriber>(into subscriber: S, delayingErrors: Bool)
        where S.Input == Output, S.Failure == Failure {
            let coordinator = MergeCoordinator.merging(into: subscriber, delayingErrors: delayingErrors)
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
    static func merging(into downstream: Downstream, delayingErrors: Bool) -> MergeCoordinator {
        let coordinator = MergeCoordinator("Merge", delaysErrors: delayingErrors, downstream: downstream)
        downstream.receive(subscription: coordinator)
        return coordinator
    }
}
