// The reducing operators with a closure that can throw any error, or the publisher's type of failure.

extension Publisher {
    /// Combines all values into one with a closure that can throw.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryReduce(0) { if $1 == 3 { throw E } else { $0 + $1 } }
    /// ────────✕ E
    /// ```
    ///
    /// Like ``reduce(_:_:)``. An error that the closure throws cancels the upstream and is delivered at once.
    ///
    /// - Parameters:
    ///   - initialResult: The value to combine the first value with, and the result for an empty stream.
    ///   - nextPartialResult: A closure that combines the previous result with a value.
    @preconcurrency
    @inlinable
    public func tryReduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) throws -> T
    ) -> Publishers.TryReduce<Self, T> {
        Publishers.TryReduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
    }

    /// Combines all values into one with a closure that can throw the publisher's type of failure.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryReduce(throwing: SumError.self, 0) { sum, text throws(SumError) in try sum + number(text) }
    /// ───────────6|
    /// ```
    ///
    /// Like ``tryReduce(_:_:)``, but the failure keeps its type.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - initialResult: The value to combine the first value with, and the result for an empty stream.
    ///   - nextPartialResult: A closure that combines the previous result with a value.
    @preconcurrency
    @inlinable
    public func tryReduce<T>(
        throwing errorType: Failure.Type, _ initialResult: T,
        _ nextPartialResult: @escaping @Sendable (T, Output) throws(Failure) -> T
    ) -> Operators.TryReduction<Self, T> {
        Operators.TryReduction("TryReduce", upstream: self) { FoldReducer(initialResult, nextPartialResult) }
    }
}

extension Publishers {
    /// A publisher that combines all values of the upstream into one with a closure that can throw.
    public struct TryReduce<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = any Error

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// The value that the first value is combined with.
        public let initial: Output

        /// A closure that combines the previous result with a value.
        public let nextPartialResult: @Sendable (Output, Upstream.Output) throws -> Output

        /// Creates a publisher that combines values. Usually created with ``Publisher/tryReduce(_:_:)``.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream, initial: Output,
            nextPartialResult: @escaping @Sendable (Output, Upstream.Output) throws -> Output
        ) {
            self.upstream = upstream
            self.initial = initial
            self.nextPartialResult = nextPartialResult
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(
                ReducingSubscriber(
                    "TryReduce", downstream: subscriber, reducer: FoldReducer(initial, nextPartialResult),
                    mapping: .erasing))
        }
    }
}

extension Publishers.TryReduce: Sendable where Upstream: Sendable, Output: Sendable {}

extension Publisher {
    /// Publishes whether all values of the upstream satisfy a condition that can throw.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryAllSatisfy { if $0 == 2 { throw E } else { $0 < 3 } }
    /// ─────✕ E
    /// ```
    ///
    /// Like ``allSatisfy(_:)``. An error that the closure throws cancels the upstream and is delivered at once.
    ///
    /// - Parameter predicate: A closure that returns whether a value matches.
    @preconcurrency
    @inlinable
    public func tryAllSatisfy(
        _ predicate: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryAllSatisfy<Self> {
        Publishers.TryAllSatisfy(upstream: self, predicate: predicate)
    }

    /// Publishes whether all values of the upstream satisfy a condition that can throw the publisher's type of failure.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryAllSatisfy(throwing: ParseError.self) { text throws(ParseError) in try number(text) < 3 }
    /// ────────false|
    /// ```
    ///
    /// Like ``tryAllSatisfy(_:)``, but the failure keeps its type.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - predicate: A closure that returns whether a value matches.
    @preconcurrency
    @inlinable
    public func tryAllSatisfy(
        throwing errorType: Failure.Type, _ predicate: @escaping @Sendable (Output) throws(Failure) -> Bool
    ) -> Operators.TryReduction<Self, Bool> {
        Operators.TryReduction("TryAllSatisfy", upstream: self) { ConditionReducer(decisive: false, predicate) }
    }
}

extension Publishers {
    /// A publisher that delivers whether all values of the upstream satisfy a condition that can throw.
    public struct TryAllSatisfy<Upstream: Publisher>: Publisher {
        public typealias Output = Bool
        public typealias Failure = any Error

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// A closure that returns whether a value satisfies the condition.
        public let predicate: @Sendable (Upstream.Output) throws -> Bool

        /// Creates a publisher that tests values. Usually created with ``Publisher/tryAllSatisfy(_:)``.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, predicate: @escaping @Sendable (Upstream.Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(
                ReducingSubscriber(
                    "TryAllSatisfy", downstream: subscriber, reducer: ConditionReducer(decisive: false, predicate),
                    mapping: .erasing))
        }
    }
}

extension Publishers.TryAllSatisfy: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Publishes whether a value of the upstream satisfies a condition that can throw.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryContains { if $0 == 2 { throw E } else { $0 > 1 } }
    /// ─────✕ E
    /// ```
    ///
    /// Like ``contains(where:)``. An error that the closure throws cancels the upstream and is delivered at once.
    ///
    /// - Parameter predicate: A closure that returns whether a value matches.
    @preconcurrency
    @inlinable
    public func tryContains(
        where predicate: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryContainsWhere<Self> {
        Publishers.TryContainsWhere(upstream: self, predicate: predicate)
    }

    /// Publishes whether a value of the upstream satisfies a condition that can throw the publisher's type of failure.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryContains(throwing: ParseError.self) { text throws(ParseError) in try number(text) > 1 }
    /// ─────true|
    /// ```
    ///
    /// Like ``tryContains(where:)``, but the failure keeps its type.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - predicate: A closure that returns whether a value matches.
    @preconcurrency
    @inlinable
    public func tryContains(
        throwing errorType: Failure.Type, where predicate: @escaping @Sendable (Output) throws(Failure) -> Bool
    ) -> Operators.TryReduction<Self, Bool> {
        Operators.TryReduction("TryContainsWhere", upstream: self) { ConditionReducer(decisive: true, predicate) }
    }
}

extension Publishers {
    /// A publisher that delivers whether a value of the upstream satisfies a condition that can throw.
    public struct TryContainsWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Bool
        public typealias Failure = any Error

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// A closure that returns whether a value satisfies the condition.
        public let predicate: @Sendable (Upstream.Output) throws -> Bool

        /// Creates a publisher that looks for a value. Usually created with ``Publisher/tryContains(where:)``.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, predicate: @escaping @Sendable (Upstream.Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(
                ReducingSubscriber(
                    "TryContainsWhere", downstream: subscriber, reducer: ConditionReducer(decisive: true, predicate),
                    mapping: .erasing))
        }
    }
}

extension Publishers.TryContainsWhere: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Publishes the least value by a given order, with a closure that can throw.
    ///
    /// Like ``min(by:)``. An error that the closure throws cancels the upstream and is delivered at once.
    ///
    /// - Parameter areInIncreasingOrder: A closure that returns whether its first argument is less than its second.
    @preconcurrency
    @inlinable
    public func tryMin(
        by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws -> Bool
    ) -> Publishers.TryComparison<Self> {
        tryMax(by: { try areInIncreasingOrder($1, $0) })
    }

    /// Publishes the greatest value by a given order, with a closure that can throw.
    ///
    /// Like ``max(by:)``. An error that the closure throws cancels the upstream and is delivered at once.
    ///
    /// - Parameter areInIncreasingOrder: A closure that returns whether its first argument is less than its second.
    @preconcurrency
    @inlinable
    public func tryMax(
        by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws -> Bool
    ) -> Publishers.TryComparison<Self> {
        Publishers.TryComparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
    }

    /// Publishes the least value by a given order, with a closure that can throw the publisher's type of failure.
    ///
    /// ```
    /// ──2──3──1──|
    ///   tryMin(throwing: ParseError.self) { one, other throws(ParseError) in try number(one) < number(other) }
    /// ───────────1|
    /// ```
    ///
    /// Like ``tryMin(by:)``, but the failure keeps its type.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - areInIncreasingOrder: A closure that returns whether its first argument is less than its second.
    @preconcurrency
    @inlinable
    public func tryMin(
        throwing errorType: Failure.Type,
        by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws(Failure) -> Bool
    ) -> Operators.TryReduction<Self, Output> {
        tryMax(throwing: errorType) { (one, other) throws(Failure) -> Bool in try areInIncreasingOrder(other, one) }
    }

    /// Publishes the greatest value by a given order, with a closure that can throw the publisher's type of failure.
    ///
    /// Like ``tryMax(by:)``, but the failure keeps its type.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - areInIncreasingOrder: A closure that returns whether its first argument is less than its second.
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
    /// A publisher that delivers the greatest value by a given order, with a closure that can throw.
    public struct TryComparison<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// A closure that returns whether its second argument replaces its first as the result.
        public let areInIncreasingOrder: @Sendable (Upstream.Output, Upstream.Output) throws -> Bool

        /// Creates a publisher of the greatest value. See ``Publisher/tryMin(by:)`` and ``Publisher/tryMax(by:)``.
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
                    mapping: .erasing))
        }
    }
}

extension Publishers.TryComparison: Sendable where Upstream: Sendable {}
