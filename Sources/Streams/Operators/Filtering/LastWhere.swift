extension Publisher {
    /// Passes on the last value that fulfils a condition, once there are no more.
    ///
    /// ```
    /// ──1──2──3──|
    ///   last { $0 < 3 }
    /// ───────────2|
    /// ```
    ///
    /// The upstream is asked for everything at once. The result waits until the subscriber asks for it. Cancellation
    /// passes through, and so does a failure.
    ///
    /// - Parameter predicate: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func last(
        where predicate: @escaping @Sendable (Output) -> Bool
    ) -> Publishers.LastWhere<Self> {
        Publishers.LastWhere(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/last(where:)`` makes.
    public struct LastWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The condition.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Makes the publisher; ``Publisher/last(where:)`` is the usual way to it.
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
                    .lastWhere, downstream: subscriber, reducer: LastMatch(predicate), ending: .passing))
        }
    }
}

extension Publishers.LastWhere: Sendable where Upstream: Sendable {}
