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
            let filter = DuplicateFilter(predicate)
            upstream.subscribe(
                FilteringSubscriber(
                    "RemoveDuplicates", downstream: subscriber, filter: filter, ending: .passing))
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
    ) -> Operators.TryStatefulTransform<Self, Output> {
        Operators.TryStatefulTransform("TryRemoveDuplicates", upstream: self) { DuplicateFilter(predicate) }
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
            let filter = DuplicateFilter(predicate)
            upstream.subscribe(
                FilteringSubscriber(
                    "TryRemoveDuplicates", downstream: subscriber, filter: filter, ending: .erasing))
        }
    }
}

extension Publishers.TryRemoveDuplicates: Sendable where Upstream: Sendable {}

/// Leaves out what amounts to the same as the value before.
@usableFromInline
struct DuplicateFilter<Input, Thrown: Error>: ElementFilter {
    @usableFromInline let isSame: (Input, Input) throws(Thrown) -> Bool
    @usableFromInline let last = SerialState<Input?>(nil)

    @inlinable
    init(_ isSame: @escaping (Input, Input) throws(Thrown) -> Bool) {
        self.isSame = isSame
    }

    @inlinable
    func decide(_ input: Input) throws(Thrown) -> Decision<Input> {
        let previous = last.value
        last.value = input
        if let previous, try isSame(previous, input) { return .skip }
        return .pass(input)
    }
}
