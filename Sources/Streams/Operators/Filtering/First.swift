extension Publisher {
    /// Publishes the first value.
    ///
    /// ```
    /// ──1──2──3──|
    ///   first()
    /// ──1|
    /// ```
    ///
    /// An empty stream has no result.
    ///
    /// **Demand.** Requests all values of the upstream. The result waits for demand.
    ///
    /// **Completion.** Cancels the upstream as soon as the result is certain. An earlier failure is delivered at once.
    ///
    /// **Cancellation.** Cancels the upstream.
    ///
    /// **Threads.** The result is delivered on the thread that makes it certain or requests it.
    @inlinable
    public func first() -> Publishers.First<Self> {
        Publishers.First(upstream: self)
    }
}

extension Publishers {
    /// A publisher that delivers the first value of the upstream.
    public struct First<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// Creates a publisher of the first value. Usually created with ``Publisher/first()``.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                ReducingSubscriber(
                    "First", downstream: subscriber, reducer: FirstReducer { _ in true }, mapping: .passing))
        }
    }
}

extension Publishers.First: Equatable where Upstream: Equatable {}
extension Publishers.First: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Publishes the first value that satisfies a condition.
    ///
    /// ```
    /// ──1──2──3──|
    ///   first { $0 > 1 }
    /// ─────2|
    /// ```
    ///
    /// A stream without such a value has no result.
    ///
    /// **Demand.** Requests all values of the upstream. The result waits for demand.
    ///
    /// **Completion.** Cancels the upstream as soon as the result is certain. An earlier failure is delivered at once.
    ///
    /// **Cancellation.** Cancels the upstream.
    ///
    /// **Threads.** The result is delivered on the thread that makes it certain or requests it.
    ///
    /// - Parameter predicate: A closure that returns whether a value matches.
    @preconcurrency
    @inlinable
    public func first(where predicate: @escaping @Sendable (Output) -> Bool) -> Publishers.FirstWhere<Self> {
        Publishers.FirstWhere(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher that delivers the first value of the upstream that satisfies a condition.
    public struct FirstWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// A closure that returns whether a value satisfies the condition.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Creates a publisher of the first match. Usually created with ``Publisher/first(where:)``.
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
                    "TryFirst", downstream: subscriber, reducer: FirstReducer(predicate), mapping: .passing))
        }
    }
}

extension Publishers.FirstWhere: Sendable where Upstream: Sendable {}

/// Takes values until one satisfies a condition.
@usableFromInline
struct FirstReducer<Input, Thrown: Error>: Reducer {
    @usableFromInline let isMatch: (Input) throws(Thrown) -> Bool

    @inlinable
    init(_ isMatch: @escaping (Input) throws(Thrown) -> Bool) {
        self.isMatch = isMatch
    }

    @inlinable
    func take(_ input: Input) throws(Thrown) -> Input? {
        try isMatch(input) ? input : nil
    }

    @inlinable
    func finish() -> Input? {
        nil
    }
}
