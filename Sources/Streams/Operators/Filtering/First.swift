extension Publisher {
    /// Publishes the first value, and finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   first()
    /// ──1|
    /// ```
    ///
    /// The cancellation passes through.
    ///
    /// **Demand.** The operator requests all values. The first one is buffered until the subscriber requests it.
    ///
    /// **Completion.** The first value cancels the upstream. A completion of the upstream before that passes through.
    ///
    /// **Threads.** The value is delivered on the thread that brings or requests it, whichever comes later.
    @inlinable
    public func first() -> Publishers.First<Self> {
        Publishers.First(upstream: self)
    }
}

extension Publishers {
    /// A publisher of the first value of its upstream.
    public struct First<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Creates a publisher of the first value of another one.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                ReducingSubscriber(
                    "First", downstream: subscriber, reducer: FirstReducer { _ in true }, ending: .passing))
        }
    }
}

extension Publishers.First: Equatable where Upstream: Equatable {}
extension Publishers.First: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Publishes the first value that satisfies a condition, and finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   first { $0 > 1 }
    /// ─────2|
    /// ```
    ///
    /// The cancellation passes through.
    ///
    /// **Demand.** The operator requests all values. The match is buffered until the subscriber requests it.
    ///
    /// **Completion.** The match cancels the upstream. A completion of the upstream before that passes through.
    ///
    /// - Parameter predicate: A closure that returns whether a value is a match, called on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func first(
        where predicate: @escaping @Sendable (Output) -> Bool
    ) -> Publishers.FirstWhere<Self> {
        Publishers.FirstWhere(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher of the first value of its upstream that satisfies a condition.
    public struct FirstWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that returns whether a value is a match.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Creates a publisher of the first value of another one that satisfies a condition.
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
                    "TryFirst", downstream: subscriber, reducer: FirstReducer(predicate), ending: .passing))
        }
    }
}

extension Publishers.FirstWhere: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Publishes the first value that satisfies a condition that can throw, and finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryFirst { if $0 == 2 { throw E } else { $0 > 1 } }
    /// ─────✕ E
    /// ```
    ///
    /// The cancellation passes through.
    ///
    /// **Demand.** The operator requests all values. The match is buffered until the subscriber requests it.
    ///
    /// **Completion.** The match cancels the upstream. An error that the closure throws does the same, and becomes the
    /// failure, which does not wait for demand.
    ///
    /// - Parameter predicate: A closure that returns whether a value is a match, called on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryFirst(
        where predicate: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryFirstWhere<Self> {
        Publishers.TryFirstWhere(upstream: self, predicate: predicate)
    }

    /// Publishes the first value that satisfies a condition that can throw the publisher's type of failure, and
    /// finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryFirst(throwing: ParseError.self) { text throws(ParseError) in try number(text) > 1 }
    /// ─────2|
    /// ```
    ///
    /// In contrast to ``tryFirst(where:)``, the failure keeps its type. The cancellation passes through.
    ///
    /// **Demand.** The operator requests all values. The match is buffered until the subscriber requests it.
    ///
    /// **Completion.** The match cancels the upstream. An error that the closure throws does the same, and becomes the
    /// failure, which does not wait for demand.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - predicate: A closure that returns whether a value is a match, called on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryFirst(
        throwing errorType: Failure.Type,
        where predicate: @escaping @Sendable (Output) throws(Failure) -> Bool
    ) -> Operators.TryReduction<Self, Output> {
        Operators.TryReduction("TryFirstWhere", upstream: self) { FirstReducer(predicate) }
    }
}

extension Publishers {
    /// A publisher of the first value of its upstream that satisfies a condition that can throw.
    public struct TryFirstWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that returns whether a value is a match.
        public let predicate: @Sendable (Upstream.Output) throws -> Bool

        /// Creates a publisher of the first value of another one that satisfies a condition that can throw.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, predicate: @escaping @Sendable (Upstream.Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(
                ReducingSubscriber(
                    "TryFirstWhere", downstream: subscriber, reducer: FirstReducer(predicate), ending: .erasing))
        }
    }
}

extension Publishers.TryFirstWhere: Sendable where Upstream: Sendable {}

/// Finds the first value that satisfies a condition.
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
    func conclude() -> Input? {
        nil
    }
}
