extension Publisher {
    /// Publishes whether all values of the upstream satisfy a condition.
    ///
    /// ```
    /// ──1──2──3──|
    ///   allSatisfy { $0 < 3 }
    /// ────────false|
    /// ```
    ///
    /// **Demand.** Requests all values of the upstream. The result waits for demand.
    ///
    /// **Completion.** Cancels the upstream as soon as the result is certain. An earlier failure is delivered at once.
    ///
    /// **Cancellation.** Cancels the upstream.
    ///
    /// **Threads.** The result is delivered on the thread that makes it certain or requests it.
    ///
    /// - Parameter predicate: A closure that returns whether a value matches.
    @preconcurrency
    @inlinable
    public func allSatisfy(_ predicate: @escaping @Sendable (Output) -> Bool) -> Publishers.AllSatisfy<Self> {
        Publishers.AllSatisfy(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher that delivers whether all values of the upstream satisfy a condition.
    public struct AllSatisfy<Upstream: Publisher>: Publisher {
        public typealias Output = Bool
        public typealias Failure = Upstream.Failure

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// A closure that returns whether a value satisfies the condition.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Creates a publisher that tests values. Usually created with ``Publisher/allSatisfy(_:)``.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, predicate: @escaping @Sendable (Upstream.Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                ReducingSubscriber(
                    "AllSatisfy", downstream: subscriber, reducer: ConditionReducer(decisive: false, predicate),
                    mapping: .passing))
        }
    }
}

extension Publishers.AllSatisfy: Sendable where Upstream: Sendable {}

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
