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
