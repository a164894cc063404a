extension Publisher where Output: Hashable {
    /// Drops each value that equals an earlier one, with a bounded memory.
    ///
    /// ```
    /// ──1──2──1──3──2──|
    ///   distinct(maxKeys: 100)
    /// ──1──2─────3─────|
    /// ```
    ///
    /// ``removeDuplicates()`` compares each value with the previous one only.
    ///
    /// Each value is its own key. Demand, completion, cancellation and threads are those of ``distinct(by:maxKeys:)``.
    ///
    /// - Parameter maxKeys: The maximum number of values that each subscription remembers, at least one.
    @inlinable
    public func distinct(maxKeys: Int) -> Operators.Distinct<Self, Output> {
        distinct(by: \.self, maxKeys: maxKeys)
    }
}

extension Publisher {
    /// Drops each value with the key of an earlier one, with a bounded memory.
    ///
    /// ```
    /// ──a1──b1──a2──c1──b2──|
    ///   distinct(by: \.name, maxKeys: 100)
    /// ──a1──b1──────c1──────|
    /// ```
    ///
    /// Each subscription remembers the keys that came last, so its memory is bounded. A key is forgotten when `maxKeys`
    /// other keys have come since its last value, also if that value was dropped. A value with a forgotten key is
    /// published again. A key that does not equal itself, as NaN does not, is not remembered: all its values are
    /// published. Pass `.max` to remember all keys, for a stream that ends or has few of them:
    ///
    /// ```swift
    /// events.distinct(by: \.id, maxKeys: 10_000)
    /// pages.prefix(20).flatMap(\.items.publisher).distinct(by: \.id, maxKeys: .max)
    /// ```
    ///
    /// **Demand.** For each dropped value the operator requests another one.
    ///
    /// **Completion.** Passes through, also a failure. The keys are released.
    ///
    /// **Cancellation.** Cancels the upstream and releases the keys.
    ///
    /// **Threads.** Values are delivered on the thread on which the upstream sends them.
    ///
    /// - Parameters:
    ///   - key: A closure that returns the key of a value, called on the delivering thread.
    ///   - maxKeys: The maximum number of keys that each subscription remembers, at least one.
    @preconcurrency
    @inlinable
    public func distinct<Key: Hashable>(
        by key: @escaping @Sendable (Output) -> Key, maxKeys: Int
    ) -> Operators.Distinct<Self, Key> {
        Operators.Distinct(upstream: self, maxKeys: maxKeys, key: key)
    }
}

extension Operators {
    /// A publisher that drops each value of its upstream with the key of an earlier one.
    public struct Distinct<Upstream: Publisher, Key: Hashable>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The maximum number of keys that each subscription remembers.
        public let maxKeys: Int

        /// The closure that returns the key of a value.
        public let key: @Sendable (Upstream.Output) -> Key

        /// Creates the publisher of ``Publisher/distinct(by:maxKeys:)``.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, maxKeys: Int, key: @escaping @Sendable (Upstream.Output) -> Key) {
            precondition(maxKeys > 0, "maxKeys must be at least one")
            self.upstream = upstream
            self.maxKeys = maxKeys
            self.key = key
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let filter = DistinctFilter<Output, Key, Failure>(maxKeys: maxKeys, key: key)
            upstream.subscribe(FilteringSubscriber("Distinct", downstream: subscriber, filter: filter))
        }
    }
}

extension Operators.Distinct: Sendable where Upstream: Sendable {}

/// Drops each value whose key is one of the keys that came last.
@usableFromInline
struct DistinctFilter<Value, Key: Hashable, Failure: Error>: ElementFilter {
    @usableFromInline let maxKeys: Int
    @usableFromInline let key: (Value) -> Key
    @usableFromInline let keys = SerialState(LRUDictionary<Key, Void>())

    @inlinable
    init(maxKeys: Int, key: @escaping (Value) -> Key) {
        self.maxKeys = maxKeys
        self.key = key
    }

    @inlinable
    func decide(_ value: Value) throws(Failure) -> Decision<Value> {
        let key = key(value)
        if keys.value.use(key) != nil { return .skip }
        // It would not be found, and would replace one that can be.
        guard key == key else { return .pass(value) }
        if keys.value.count >= maxKeys { keys.value.removeLeastRecentlyUsed() }
        keys.value.insert((), for: key)
        return .pass(value)
    }
}
