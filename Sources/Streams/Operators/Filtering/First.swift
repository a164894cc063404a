extension Publisher {
    /// Passes on the first value, and finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   first()
    /// ──1|
    /// ```
    ///
    /// The upstream is asked for everything at once and cancelled when a value has come, which is kept until the
    /// subscriber asks for it. A stream without values has no result. Cancellation and a failure pass through. The
    /// value comes on the thread that brings it or that asks for it.
    @inlinable
    public func first() -> Publishers.First<Self> {
        Publishers.First(upstream: self)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/first()`` makes.
    public struct First<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes the publisher; ``Publisher/first()`` is the usual way to it.
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
    /// Passes on the first value that fulfils a condition, and finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   first { $0 > 1 }
    /// ─────2|
    /// ```
    ///
    /// The upstream is asked for everything at once, and cancelled when the answer is certain, which then waits until
    /// the subscriber asks for it. Cancellation and a failure pass through.
    ///
    /// - Parameter predicate: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func first(
        where predicate: @escaping @Sendable (Output) -> Bool
    ) -> Publishers.FirstWhere<Self> {
        Publishers.FirstWhere(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/first(where:)`` makes.
    public struct FirstWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The condition.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Makes the publisher; ``Publisher/first(where:)`` is the usual way to it.
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
    /// Passes on the first value that fulfils a condition, which may throw, and that ends the stream.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryFirst { if $0 == 2 { throw E } else { $0 > 1 } }
    /// ─────✕ E
    /// ```
    ///
    /// The upstream is asked for everything at once, and cancelled when the answer is certain, which then waits until
    /// the subscriber asks for it. Cancellation and a failure pass through.
    /// When the closure throws, the upstream is cancelled and the error delivered.
    ///
    /// - Parameter predicate: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryFirst(
        where predicate: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryFirstWhere<Self> {
        Publishers.TryFirstWhere(upstream: self, predicate: predicate)
    }

    /// Passes on the first value that fulfils a condition, which may throw the publisher's own type of failure, and
    /// finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryFirst(throwing: ParseError.self) { text throws(ParseError) in try number(text) > 1 }
    /// ─────2|
    /// ```
    ///
    /// In contrast to ``tryFirst(where:)`` the failure keeps its type, so no cast is needed further down.
    ///
    /// **Demand.** The upstream is asked for everything at once, and cancelled when the answer is certain, and the
    /// result waits until the subscriber asks for it.
    ///
    /// **Completion.** An error that is thrown cancels the upstream and ends the stream, without waiting for demand.
    ///
    /// **Cancellation and threads** are the upstream's.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - predicate: Called with each value, on the thread that delivers it.
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
    /// The publisher that ``Publisher/tryFirst(where:)`` makes.
    public struct TryFirstWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The condition.
        public let predicate: @Sendable (Upstream.Output) throws -> Bool

        /// Makes the publisher; ``Publisher/tryFirst(where:)`` is the usual way to it.
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

/// Looks for the first value that fulfils a condition.
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
