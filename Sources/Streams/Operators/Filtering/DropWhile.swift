extension Publisher {
    /// Leaves values out up to the first one that does not fulfil a condition.
    ///
    /// ```
    /// ──1──2──3──1──|
    ///   drop { $0 < 2 }
    /// ─────2──3──1──|
    /// ```
    ///
    /// For every value left out another one is asked for. Cancellation and the completion pass through.
    ///
    /// - Parameter predicate: Called with each value up to the first that is passed on, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func drop(
        while predicate: @escaping @Sendable (Output) -> Bool
    ) -> Publishers.DropWhile<Self> {
        Publishers.DropWhile(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/drop(while:)`` makes.
    public struct DropWhile<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Whether a value is left out.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Makes the publisher; ``Publisher/drop(while:)`` is the usual way to it.
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
                GatingSubscriber(
                    .dropWhile, downstream: subscriber, gate: Threshold(predicate), ending: .passing,
                    rules: .noEmptyRequests))
        }
    }
}

extension Publishers.DropWhile: Sendable where Upstream: Sendable {}
