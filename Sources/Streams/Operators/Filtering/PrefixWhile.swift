extension Publisher {
    /// Passes on values up to the first one that does not fulfil a condition, and finishes.
    ///
    /// ```
    /// ──1──2──3──1──|
    ///   prefix { $0 < 3 }
    /// ──1──2──|
    /// ```
    ///
    /// The upstream is cancelled at that value. Demand, cancellation and the completion pass through.
    ///
    /// - Parameter predicate: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func prefix(
        while predicate: @escaping @Sendable (Output) -> Bool
    ) -> Publishers.PrefixWhile<Self> {
        Publishers.PrefixWhile(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/prefix(while:)`` makes.
    public struct PrefixWhile<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Whether a value is passed on.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Makes the publisher; ``Publisher/prefix(while:)`` is the usual way to it.
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
                    .prefixWhile, downstream: subscriber, gate: Limit(predicate), ending: .passing,
                    rules: .filtering, portrait: .subscriber))
        }
    }
}

extension Publishers.PrefixWhile: Sendable where Upstream: Sendable {}
