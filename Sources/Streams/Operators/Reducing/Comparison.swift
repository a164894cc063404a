extension Publisher where Output: Comparable {
    /// Delivers the least value once there are no more.
    ///
    /// ```
    /// ──2──3──1──|
    ///   min()
    /// ───────────1|
    /// ```
    ///
    /// Of equal values the first one counts. A stream without values has no result. The upstream is asked for
    /// everything at once. The result waits until the subscriber asks for it. Cancellation passes through, and so does
    /// a failure. The result comes on the thread that completes the upstream or that asks for it.
    @inlinable
    public func min() -> Publishers.Comparison<Self> {
        min(by: Ordering<Output>().holds)
    }

    /// Delivers the greatest value once there are no more.
    ///
    /// ```
    /// ──2──3──1──|
    ///   max()
    /// ───────────3|
    /// ```
    ///
    /// Of equal values the first one counts. A stream without values has no result. The upstream is asked for
    /// everything at once. The result waits until the subscriber asks for it. Cancellation passes through, and so does
    /// a failure. The result comes on the thread that completes the upstream or that asks for it.
    @inlinable
    public func max() -> Publishers.Comparison<Self> {
        max(by: Ordering<Output>().holds)
    }
}

extension Publisher {
    /// Delivers the least value once there are no more.
    ///
    /// ```
    /// ──2──3──1──|
    ///   min { $0 < $1 }
    /// ───────────1|
    /// ```
    ///
    /// Of values that are equal in order, the first one counts. A stream without values has no result. The upstream is
    /// asked for everything at once. The result waits until the subscriber asks for it. Cancellation passes through,
    /// and so does a failure.
    ///
    /// - Parameter areInIncreasingOrder: Whether its first argument is to be ordered before its second. Called on the
    ///   thread that delivers a value.
    @preconcurrency
    @inlinable
    public func min(
        by areInIncreasingOrder: @escaping @Sendable (Output, Output) -> Bool
    ) -> Publishers.Comparison<Self> {
        max(by: { areInIncreasingOrder($1, $0) })
    }

    /// Delivers the greatest value once there are no more.
    ///
    /// ```
    /// ──2──3──1──|
    ///   max { $0 < $1 }
    /// ───────────3|
    /// ```
    ///
    /// Of values that are equal in order, the first one counts. A stream without values has no result. The upstream is
    /// asked for everything at once. The result waits until the subscriber asks for it. Cancellation passes through,
    /// and so does a failure.
    ///
    /// - Parameter areInIncreasingOrder: Whether its first argument is to be ordered before its second. Called on the
    ///   thread that delivers a value.
    @preconcurrency
    @inlinable
    public func max(
        by areInIncreasingOrder: @escaping @Sendable (Output, Output) -> Bool
    ) -> Publishers.Comparison<Self> {
        Publishers.Comparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/min(by:)`` and ``Publisher/max(by:)`` make.
    public struct Comparison<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Whether its second argument takes the place of its first as the result.
        public let areInIncreasingOrder: @Sendable (Upstream.Output, Upstream.Output) -> Bool

        /// Makes the publisher; ``Publisher/min(by:)`` and ``Publisher/max(by:)`` are the usual ways to it.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream, areInIncreasingOrder: @escaping @Sendable (Upstream.Output, Upstream.Output) -> Bool
        ) {
            self.upstream = upstream
            self.areInIncreasingOrder = areInIncreasingOrder
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                ReducingSubscriber(
                    .comparison, downstream: subscriber, reducer: Extreme(areInIncreasingOrder), ending: .passing))
        }
    }
}

extension Publishers.Comparison: Sendable where Upstream: Sendable {}

/// Compares values. A closure would be said to take the type with it, which need not be allowed to leave its isolation.
@usableFromInline
struct Ordering<Value: Comparable>: Sendable {
    @inlinable
    init() {}

    @inlinable
    func holds(_ lhs: Value, _ rhs: Value) -> Bool {
        lhs < rhs
    }
}
