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
    ) -> Publishers.TryReduction<Self, Output> {
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
    ) -> Publishers.TryReduction<Self, Output> {
        Publishers.TryReduction(.tryComparison, upstream: self) { Extreme(areInIncreasingOrder) }
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
                    .tryComparison, downstream: subscriber, reducer: Extreme(areInIncreasingOrder), ending: .erasing))
        }
    }
}

extension Publishers.TryComparison: Sendable where Upstream: Sendable {}
