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
                    "Comparison", downstream: subscriber, reducer: MinMaxReducer(areInIncreasingOrder), ending: .passing
                )
            )
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

extension Publisher {
    /// Delivers the least value once there are no more, by a closure that may throw, which ends the stream.
    ///
    /// ```
    /// ──2──3──1──|
    ///   tryMin { $0 < $1 }
    /// ───────────1|
    /// ```
    ///
    /// Of values that are equal in order, the first one counts. A stream without values has no result. The upstream is
    /// asked for everything at once. The result waits until the subscriber asks for it. Cancellation passes through,
    /// and so does a failure. When the closure throws, the upstream is cancelled and the error delivered.
    ///
    /// - Parameter areInIncreasingOrder: Whether its first argument is to be ordered before its second. Called on the
    ///   thread that delivers a value.
    @preconcurrency
    @inlinable
    public func tryMin(
        by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws -> Bool
    ) -> Publishers.TryComparison<Self> {
        tryMax(by: { try areInIncreasingOrder($1, $0) })
    }

    /// Delivers the greatest value once there are no more, by a closure that may throw, which ends the stream.
    ///
    /// ```
    /// ──2──3──1──|
    ///   tryMax { $0 < $1 }
    /// ───────────3|
    /// ```
    ///
    /// Of values that are equal in order, the first one counts. A stream without values has no result. The upstream is
    /// asked for everything at once. The result waits until the subscriber asks for it. Cancellation passes through,
    /// and so does a failure. When the closure throws, the upstream is cancelled and the error delivered.
    ///
    /// - Parameter areInIncreasingOrder: Whether its first argument is to be ordered before its second. Called on the
    ///   thread that delivers a value.
    @preconcurrency
    @inlinable
    public func tryMax(
        by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws -> Bool
    ) -> Publishers.TryComparison<Self> {
        Publishers.TryComparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
    }

    /// Delivers the least value once there are no more, by a closure that may throw the publisher's own type of
    /// failure.
    ///
    /// ```
    /// ──2──3──1──|
    ///   tryMin(throwing: ParseError.self) { one, other throws(ParseError) in try number(one) < number(other) }
    /// ───────────1|
    /// ```
    ///
    /// In contrast to ``tryMin(by:)`` the failure keeps its type, so no cast is needed further down.
    ///
    /// **Demand.** The upstream is asked for everything at once, and the result waits until the subscriber asks for it.
    ///
    /// **Completion.** An error that is thrown cancels the upstream and ends the stream, without waiting for demand.
    ///
    /// **Cancellation and threads** are the upstream's.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - areInIncreasingOrder: Whether its first argument is to be ordered before its second. Called on the thread
    ///     that delivers a value. Of values that are equal in order, the first one counts.
    @preconcurrency
    @inlinable
    public func tryMin(
        throwing errorType: Failure.Type,
        by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws(Failure) -> Bool
    ) -> Operators.TryReduction<Self, Output> {
        tryMax(throwing: errorType) { (one, other) throws(Failure) -> Bool in try areInIncreasingOrder(other, one) }
    }

    /// Delivers the greatest value once there are no more, by a closure that may throw the publisher's own type of
    /// failure.
    ///
    /// ```
    /// ──2──3──1──|
    ///   tryMax(throwing: ParseError.self) { one, other throws(ParseError) in try number(one) < number(other) }
    /// ───────────3|
    /// ```
    ///
    /// In contrast to ``tryMax(by:)`` the failure keeps its type, so no cast is needed further down.
    ///
    /// **Demand.** The upstream is asked for everything at once, and the result waits until the subscriber asks for it.
    ///
    /// **Completion.** An error that is thrown cancels the upstream and ends the stream, without waiting for demand.
    ///
    /// **Cancellation and threads** are the upstream's.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - areInIncreasingOrder: Whether its first argument is to be ordered before its second. Called on the thread
    ///     that delivers a value. Of values that are equal in order, the first one counts.
    @preconcurrency
    @inlinable
    public func tryMax(
        throwing errorType: Failure.Type,
        by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws(Failure) -> Bool
    ) -> Operators.TryReduction<Self, Output> {
        Operators.TryReduction("TryComparison", upstream: self) { MinMaxReducer(areInIncreasingOrder) }
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryMin(by:)`` and ``Publisher/tryMax(by:)`` make.
    public struct TryComparison<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Whether its second argument takes the place of its first as the result.
        public let areInIncreasingOrder: @Sendable (Upstream.Output, Upstream.Output) throws -> Bool

        /// Makes the publisher; ``Publisher/tryMin(by:)`` and ``Publisher/tryMax(by:)`` are the usual ways to it.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream,
            areInIncreasingOrder: @escaping @Sendable (Upstream.Output, Upstream.Output) throws -> Bool
        ) {
            self.upstream = upstream
            self.areInIncreasingOrder = areInIncreasingOrder
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(
                ReducingSubscriber(
                    "TryComparison", downstream: subscriber, reducer: MinMaxReducer(areInIncreasingOrder),
                    ending: .erasing))
        }
    }
}

extension Publishers.TryComparison: Sendable where Upstream: Sendable {}

/// Keeps a value until one comes that is ordered after it.
@usableFromInline
struct MinMaxReducer<Input, Thrown: Error>: Reducer {
    @usableFromInline let areInIncreasingOrder: (Input, Input) throws(Thrown) -> Bool
    @usableFromInline let extreme = SerialState<Input?>(nil)

    @inlinable
    init(_ areInIncreasingOrder: @escaping (Input, Input) throws(Thrown) -> Bool) {
        self.areInIncreasingOrder = areInIncreasingOrder
    }

    @inlinable
    func take(_ input: Input) throws(Thrown) -> Input? {
        if let extreme = extreme.value, try !areInIncreasingOrder(extreme, input) { return nil }
        extreme.value = input
        return nil
    }

    @inlinable
    func conclude() -> Input? {
        extreme.value
    }
}
