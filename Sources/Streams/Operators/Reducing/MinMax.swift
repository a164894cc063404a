extension Publisher where Output: Comparable {
    /// Publishes the least value when the upstream finishes.
    ///
    /// ```
    /// ──2──3──1──|
    ///   min()
    /// ───────────1|
    /// ```
    ///
    /// Of equal values the first is published. Otherwise like ``max()``.
    @inlinable
    public func min() -> Publishers.Comparison<Self> {
        min(by: Ordering<Output>().holds)
    }

    /// Publishes the greatest value when the upstream finishes.
    ///
    /// ```
    /// ──2──3──1──|
    ///   max()
    /// ───────────3|
    /// ```
    ///
    /// Of equal values the first is published. An empty stream has no result.
    ///
    /// **Demand.** Requests all values of the upstream. The result waits for demand.
    ///
    /// **Completion.** A failure is delivered at once, without a result.
    ///
    /// **Cancellation.** Cancels the upstream.
    ///
    /// **Threads.** The result is delivered on the thread that finishes the upstream or requests the result.
    @inlinable
    public func max() -> Publishers.Comparison<Self> {
        max(by: Ordering<Output>().holds)
    }
}

extension Publisher {
    /// Publishes the least value by a given order when the upstream finishes.
    ///
    /// ```
    /// ──2──3──1──|
    ///   min { $0 < $1 }
    /// ───────────1|
    /// ```
    ///
    /// Like ``min()``.
    ///
    /// - Parameter areInIncreasingOrder: A closure that returns whether its first argument is less than its second.
    @preconcurrency
    @inlinable
    public func min(
        by areInIncreasingOrder: @escaping @Sendable (Output, Output) -> Bool
    ) -> Publishers.Comparison<Self> {
        max(by: { areInIncreasingOrder($1, $0) })
    }

    /// Publishes the greatest value by a given order when the upstream finishes.
    ///
    /// ```
    /// ──2──3──1──|
    ///   max { $0 < $1 }
    /// ───────────3|
    /// ```
    ///
    /// Like ``max()``.
    ///
    /// - Parameter areInIncreasingOrder: A closure that returns whether its first argument is less than its second.
    @preconcurrency
    @inlinable
    public func max(
        by areInIncreasingOrder: @escaping @Sendable (Output, Output) -> Bool
    ) -> Publishers.Comparison<Self> {
        Publishers.Comparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
    }
}

extension Publishers {
    /// A publisher that delivers the greatest value by a given order.
    public struct Comparison<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// A closure that returns whether its second argument replaces its first as the result.
        public let areInIncreasingOrder: @Sendable (Upstream.Output, Upstream.Output) -> Bool

        /// Creates a publisher of the greatest value. See ``Publisher/min(by:)`` and ``Publisher/max(by:)``.
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
                    "Comparison", downstream: subscriber, reducer: MinMaxReducer(areInIncreasingOrder),
                    mapping: .passing
                )
            )
        }
    }
}

extension Publishers.Comparison: Sendable where Upstream: Sendable {}

/// The natural order of values. A `@Sendable` closure cannot capture a type whose conformance may be isolated.
@usableFromInline
struct Ordering<Value: Comparable>: Sendable {
    @inlinable
    init() {}

    @inlinable
    func holds(_ lhs: Value, _ rhs: Value) -> Bool {
        lhs < rhs
    }
}

/// Keeps the greatest value.
@usableFromInline
struct MinMaxReducer<Input, Thrown: Error>: Reducer {
    @usableFromInline let areInIncreasingOrder: (Input, Input) throws(Thrown) -> Bool
    @usableFromInline let greatest = SerialState<Input?>(nil)

    @inlinable
    init(_ areInIncreasingOrder: @escaping (Input, Input) throws(Thrown) -> Bool) {
        self.areInIncreasingOrder = areInIncreasingOrder
    }

    @inlinable
    func take(_ input: Input) throws(Thrown) -> Input? {
        if let current = greatest.value, try !areInIncreasingOrder(current, input) { return nil }
        greatest.value = input
        return nil
    }

    @inlinable
    func finish() -> Input? {
        greatest.value
    }
}
