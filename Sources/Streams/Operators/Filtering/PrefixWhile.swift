extension Publisher {
    /// Publishes values until one does not satisfy a condition, and finishes there.
    ///
    /// ```
    /// ──1──2──3──1──|
    ///   prefix { $0 < 3 }
    /// ──1──2──|
    /// ```
    ///
    /// Demand and the cancellation pass through.
    ///
    /// **Completion.** The first value that does not satisfy the condition is dropped, and cancels the upstream.
    ///
    /// - Parameter predicate: A closure that returns whether to publish a value, called on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func prefix(while predicate: @escaping @Sendable (Output) -> Bool) -> Publishers.PrefixWhile<Self> {
        Publishers.PrefixWhile(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher of the values of its upstream until one does not satisfy a condition.
    public struct PrefixWhile<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that returns whether to publish a value.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Creates a publisher of the values of another one until one does not satisfy a condition.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, predicate: @escaping @Sendable (Upstream.Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let filter = PrefixWhileFilter<Output, Failure>(predicate)
            upstream.subscribe(FilteringSubscriber("PrefixWhile", downstream: subscriber, filter: filter))
        }
    }
}

extension Publishers.PrefixWhile: Sendable where Upstream: Sendable {}

/// Finishes at the first value that does not satisfy a condition.
@usableFromInline
struct PrefixWhileFilter<Value, Failure: Error>: ElementFilter {
    @usableFromInline let predicate: (Value) throws(Failure) -> Bool

    @inlinable
    init(_ predicate: @escaping (Value) throws(Failure) -> Bool) {
        self.predicate = predicate
    }

    @inlinable
    func decide(_ value: Value) throws(Failure) -> Decision<Value> {
        try predicate(value) ? .pass(value) : .finish
    }
}
