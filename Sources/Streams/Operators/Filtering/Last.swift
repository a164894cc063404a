extension Publisher {
    /// Publishes the last value when the upstream finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   last()
    /// ───────────3|
    /// ```
    ///
    /// An empty stream has no result.
    ///
    /// **Demand.** Requests all values of the upstream. The result waits for demand.
    ///
    /// **Completion.** A failure is delivered at once, without a result.
    ///
    /// **Cancellation.** Cancels the upstream.
    ///
    /// **Threads.** The result is delivered on the thread that finishes the upstream or requests the result.
    @inlinable
    public func last() -> Publishers.Last<Self> {
        Publishers.Last(upstream: self)
    }
}

extension Publishers {
    /// A publisher that delivers the last value of the upstream.
    public struct Last<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// Creates a publisher of the last value. Usually created with ``Publisher/last()``.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                ReducingSubscriber(
                    "Last", downstream: subscriber, reducer: LastReducer { _ in true }, mapping: .passing))
        }
    }
}

extension Publishers.Last: Equatable where Upstream: Equatable {}
extension Publishers.Last: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Publishes the last value that satisfies a condition, when the upstream finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   last { $0 < 3 }
    /// ───────────2|
    /// ```
    ///
    /// A stream without such a value has no result.
    ///
    /// **Demand.** Requests all values of the upstream. The result waits for demand.
    ///
    /// **Completion.** A failure is delivered at once, without a result.
    ///
    /// **Cancellation.** Cancels the upstream.
    ///
    /// **Threads.** The result is delivered on the thread that finishes the upstream or requests the result.
    ///
    /// - Parameter predicate: A closure that returns whether a value matches.
    @preconcurrency
    @inlinable
    public func last(where predicate: @escaping @Sendable (Output) -> Bool) -> Publishers.LastWhere<Self> {
        Publishers.LastWhere(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher that delivers the last value of the upstream that satisfies a condition.
    public struct LastWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// A closure that returns whether a value satisfies the condition.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Creates a publisher of the last match. Usually created with ``Publisher/last(where:)``.
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
                    "LastWhere", downstream: subscriber, reducer: LastReducer(predicate), mapping: .passing))
        }
    }
}

extension Publishers.LastWhere: Sendable where Upstream: Sendable {}

/// Keeps the last value that satisfies a condition.
@usableFromInline
struct LastReducer<Input, Thrown: Error>: Reducer {
    @usableFromInline let isMatch: (Input) throws(Thrown) -> Bool
    @usableFromInline let match = SerialState<Input?>(nil)

    @inlinable
    init(_ isMatch: @escaping (Input) throws(Thrown) -> Bool) {
        self.isMatch = isMatch
    }

    @inlinable
    func take(_ input: Input) throws(Thrown) -> Input? {
        if try isMatch(input) { match.value = input }
        return nil
    }

    @inlinable
    func finish() -> Input? {
        match.value
    }
}
