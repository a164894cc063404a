extension Publisher where Output: Equatable {
    /// Drops each value that is equal to the previous one.
    ///
    /// ```
    /// ──1──1──2──1──|
    ///   removeDuplicates()
    /// ──1─────2──1──|
    /// ```
    ///
    /// The completion and the cancellation pass through. All signals stay on the upstream's threads.
    ///
    /// **Demand.** For each dropped value the operator requests another one.
    @inlinable
    public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> {
        removeDuplicates(by: EqualityPredicate<Output>().areEqual)
    }
}

extension Publisher {
    /// Drops each value that a closure considers a duplicate of the previous one.
    ///
    /// ```
    /// ──1──3──2──1──|
    ///   removeDuplicates { $0 % 2 == $1 % 2 }
    /// ──1─────2──1──|
    /// ```
    ///
    /// The completion and the cancellation pass through.
    ///
    /// **Demand.** For each dropped value the operator requests another one.
    ///
    /// - Parameter predicate: A closure that returns whether a value is a duplicate of the previous one, which may have
    ///   been dropped itself. It is called with the previous value and the new one, on the delivering thread.
    @preconcurrency
    @inlinable
    public func removeDuplicates(
        by predicate: @escaping @Sendable (Output, Output) -> Bool
    ) -> Publishers.RemoveDuplicates<Self> {
        Publishers.RemoveDuplicates(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher that drops each value of its upstream that is a duplicate of the previous one.
    public struct RemoveDuplicates<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that returns whether a value is a duplicate of the previous one.
        public let predicate: @Sendable (Output, Output) -> Bool

        /// Creates a publisher that drops each value of another one that is a duplicate of the previous one.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, predicate: @escaping @Sendable (Output, Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let filter = DuplicateFilter<Output, Failure>(predicate)
            upstream.subscribe(FilteringSubscriber("RemoveDuplicates", downstream: subscriber, filter: filter))
        }
    }
}

extension Publishers.RemoveDuplicates: Sendable where Upstream: Sendable {}

/// Compares two values. A `@Sendable` closure must not capture the values' type, which need not be `Sendable`.
@usableFromInline
struct EqualityPredicate<Value: Equatable>: Sendable {
    @inlinable
    init() {}

    @inlinable
    func areEqual(_ lhs: Value, _ rhs: Value) -> Bool {
        lhs == rhs
    }
}

/// Drops each value that is a duplicate of the previous one.
@usableFromInline
struct DuplicateFilter<Value, Failure: Error>: ElementFilter {
    @usableFromInline let isDuplicate: (Value, Value) throws(Failure) -> Bool
    @usableFromInline let previous = SerialState<Value?>(nil)

    @inlinable
    init(_ isDuplicate: @escaping (Value, Value) throws(Failure) -> Bool) {
        self.isDuplicate = isDuplicate
    }

    @inlinable
    func decide(_ value: Value) throws(Failure) -> Decision<Value> {
        let previous = self.previous.value
        self.previous.value = value
        if let previous, try isDuplicate(previous, value) { return .skip }
        return .pass(value)
    }
}
