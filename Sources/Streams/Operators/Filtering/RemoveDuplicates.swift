extension Publisher where Output: Equatable {
    /// Leaves out the values that are equal to the one before.
    ///
    /// ```
    /// ──1──1──2──1──|
    ///   removeDuplicates()
    /// ──1─────2──1──|
    /// ```
    ///
    /// For every value left out another one is asked for. Cancellation and the completion pass through.
    /// Signals come on the thread that the upstream sends them on.
    @inlinable
    public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> {
        removeDuplicates(by: Equality<Output>().holds)
    }
}

extension Publisher {
    /// Leaves out the values that amount to the same as the one before.
    ///
    /// ```
    /// ──1──3──2──1──|
    ///   removeDuplicates { $0 % 2 == $1 % 2 }
    /// ──1─────2──1──|
    /// ```
    ///
    /// For every value left out another one is asked for. Cancellation and the completion pass through.
    ///
    /// - Parameter predicate: Whether two values amount to the same. It is called with the value before, left out or
    ///   not, and the new one, on the thread that delivers the latter.
    @preconcurrency
    @inlinable
    public func removeDuplicates(
        by predicate: @escaping @Sendable (Output, Output) -> Bool
    ) -> Publishers.RemoveDuplicates<Self> {
        Publishers.RemoveDuplicates(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/removeDuplicates(by:)`` makes.
    public struct RemoveDuplicates<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Whether two values amount to the same.
        public let predicate: @Sendable (Output, Output) -> Bool

        /// Makes the publisher; ``Publisher/removeDuplicates(by:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, predicate: @escaping @Sendable (Output, Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let gate = Distinction(predicate)
            upstream.subscribe(
                GatingSubscriber(
                    .removeDuplicates, downstream: subscriber, gate: gate, ending: .passing, rules: .filtering,
                    portrait: .subscriber(and: "last", gate.last)))
        }
    }
}

/// Compares values. A closure would be said to take the type with it, which need not be allowed to leave its isolation.
@usableFromInline
struct Equality<Value: Equatable>: Sendable {
    @inlinable
    init() {}

    @inlinable
    func holds(_ lhs: Value, _ rhs: Value) -> Bool {
        lhs == rhs
    }
}

extension Publishers.RemoveDuplicates: Sendable where Upstream: Sendable {}
