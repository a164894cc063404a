extension Publisher {
    /// Leaves out the values that amount to the same as the one before, by a closure that may throw, which ends the
    /// stream.
    ///
    /// ```
    /// ──1──1──2──0──|
    ///   tryRemoveDuplicates { if $1 == 0 { throw E } else { $0 == $1 } }
    /// ──1─────2──✕ E
    /// ```
    ///
    /// For every value left out another one is asked for. When the closure throws, the upstream is cancelled and the
    /// error delivered.
    ///
    /// - Parameter predicate: Whether two values amount to the same. It is called with the value before, left out or
    ///   not, and the new one, on the thread that delivers the latter.
    @preconcurrency
    @inlinable
    public func tryRemoveDuplicates(
        by predicate: @escaping @Sendable (Output, Output) throws -> Bool
    ) -> Publishers.TryRemoveDuplicates<Self> {
        Publishers.TryRemoveDuplicates(upstream: self, predicate: predicate)
    }

    /// Leaves out the values that amount to the same as the one before, by a closure that may throw the publisher's own
    /// type of failure.
    ///
    /// ```
    /// ──1──1──2──✗──|
    ///   tryRemoveDuplicates(throwing: ParseError.self) { one, other throws(ParseError) in try isSame(one, other) }
    /// ──1─────2──✕ ParseError
    /// ```
    ///
    /// In contrast to ``tryRemoveDuplicates(by:)`` the failure keeps its type, so no cast is needed further down.
    ///
    /// **Demand.** For a value that is left out another one is asked for.
    ///
    /// **Completion.** An error that is thrown cancels the upstream and ends the stream.
    ///
    /// **Cancellation and threads** are the upstream's.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - predicate: Whether two values amount to the same. It is called with the value before, left out or not, and
    ///     the new one, on the thread that delivers the latter.
    @preconcurrency
    @inlinable
    public func tryRemoveDuplicates(
        throwing errorType: Failure.Type,
        by predicate: @escaping @Sendable (Output, Output) throws(Failure) -> Bool
    ) -> Publishers.TryStatefulTransform<Self, Output> {
        Publishers.TryStatefulTransform(.tryRemoveDuplicates, upstream: self) { Distinction(predicate) }
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryRemoveDuplicates(by:)`` makes.
    public struct TryRemoveDuplicates<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Whether two values amount to the same.
        public let predicate: @Sendable (Output, Output) throws -> Bool

        /// Makes the publisher; ``Publisher/tryRemoveDuplicates(by:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, predicate: @escaping @Sendable (Output, Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            let gate = Distinction(predicate)
            upstream.subscribe(
                GatingSubscriber(
                    .tryRemoveDuplicates, downstream: subscriber, gate: gate, ending: .erasing, rules: .filtering,
                    portrait: .subscriber(and: "last", gate.last)))
        }
    }
}

extension Publishers.TryRemoveDuplicates: Sendable where Upstream: Sendable {}
