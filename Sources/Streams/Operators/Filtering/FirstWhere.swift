extension Publisher {
    /// Passes on the first value that fulfils a condition, and finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   first { $0 > 1 }
    /// ─────2|
    /// ```
    ///
    /// The upstream is asked for everything at once, and cancelled when the answer is certain, which then waits until
    /// the subscriber asks for it. Cancellation and a failure pass through.
    ///
    /// - Parameter predicate: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func first(
        where predicate: @escaping @Sendable (Output) -> Bool
    ) -> Publishers.FirstWhere<Self> {
        Publishers.FirstWhere(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/first(where:)`` makes.
    public struct FirstWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The condition.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Makes the publisher; ``Publisher/first(where:)`` is the usual way to it.
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
                    .tryFirst, downstream: subscriber, reducer: FirstMatch(predicate), ending: .passing))
        }
    }
}

extension Publishers.FirstWhere: Sendable where Upstream: Sendable {}
