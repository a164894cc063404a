extension Publisher {
    /// Drops values up to the first one that does not satisfy a condition.
    ///
    /// ```
    /// ──1──2──3──1──|
    ///   drop { $0 < 2 }
    /// ─────2──3──1──|
    /// ```
    ///
    /// The completion and the cancellation pass through.
    ///
    /// **Demand.** For each dropped value the operator requests another one.
    ///
    /// - Parameter predicate: A closure that returns whether to drop a value, called on the thread that delivers it. It
    ///   is not called again once it has returned false.
    @preconcurrency
    @inlinable
    public func drop(while predicate: @escaping @Sendable (Output) -> Bool) -> Publishers.DropWhile<Self> {
        Publishers.DropWhile(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher that drops values of its upstream up to the first one that does not satisfy a condition.
    public struct DropWhile<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that returns whether to drop a value.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Creates a publisher that drops values of another one up to the first that does not satisfy a condition.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, predicate: @escaping @Sendable (Upstream.Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let filter = DropWhileFilter<Output, Failure>(predicate)
            upstream.subscribe(FilteringSubscriber("DropWhile", downstream: subscriber, filter: filter))
        }
    }
}

extension Publishers.DropWhile: Sendable where Upstream: Sendable {}

/// Drops values up to the first one that does not satisfy a condition.
@usableFromInline
struct DropWhileFilter<Value, Failure: Error>: ElementFilter {
    @usableFromInline let predicate: (Value) throws(Failure) -> Bool
    @usableFromInline let isDropping = SerialState(true)

    @inlinable
    init(_ predicate: @escaping (Value) throws(Failure) -> Bool) {
        self.predicate = predicate
    }

    @inlinable
    func decide(_ value: Value) throws(Failure) -> Decision<Value> {
        if isDropping.value {
            if try predicate(value) { return .skip }
            isDropping.value = false
        }
        return .pass(value)
    }
}
