extension Publisher {
    /// Passes on the last value, once there are no more.
    ///
    /// ```
    /// ──1──2──3──|
    ///   last()
    /// ───────────3|
    /// ```
    ///
    /// The upstream is asked for everything at once. The result waits until the subscriber asks for it. Cancellation
    /// passes through, and so does a failure. The result comes on the thread
    /// that completes the upstream or that asks for it.
    @inlinable
    public func last() -> Publishers.Last<Self> {
        Publishers.Last(upstream: self)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/last()`` makes.
    public struct Last<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes the publisher; ``Publisher/last()`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                ReducingSubscriber(
                    "Last", downstream: subscriber, reducer: LastReducer { _ in true }, ending: .passing))
        }
    }
}

extension Publishers.Last: Equatable where Upstream: Equatable {}
extension Publishers.Last: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Passes on the last value that fulfils a condition, once there are no more.
    ///
    /// ```
    /// ──1──2──3──|
    ///   last { $0 < 3 }
    /// ───────────2|
    /// ```
    ///
    /// The upstream is asked for everything at once. The result waits until the subscriber asks for it. Cancellation
    /// passes through, and so does a failure.
    ///
    /// - Parameter predicate: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func last(
        where predicate: @escaping @Sendable (Output) -> Bool
    ) -> Publishers.LastWhere<Self> {
        Publishers.LastWhere(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/last(where:)`` makes.
    public struct LastWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The condition.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Makes the publisher; ``Publisher/last(where:)`` is the usual way to it.
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
                    "LastWhere", downstream: subscriber, reducer: LastReducer(predicate), ending: .passing))
        }
    }
}

extension Publishers.LastWhere: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Passes on the last value that fulfils a condition, which may throw, and that ends the stream.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryLast { if $0 == 2 { throw E } else { $0 < 3 } }
    /// ─────✕ E
    /// ```
    ///
    /// The upstream is asked for everything at once. The result waits until the subscriber asks for it. Cancellation
    /// passes through, and so does a failure.
    /// When the closure throws, the upstream is cancelled and the error delivered.
    ///
    /// - Parameter predicate: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryLast(
        where predicate: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryLastWhere<Self> {
        Publishers.TryLastWhere(upstream: self, predicate: predicate)
    }

    /// Passes on the last value that fulfils a condition, which may throw the publisher's own type of failure.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryLast(throwing: ParseError.self) { text throws(ParseError) in try number(text) < 3 }
    /// ───────────2|
    /// ```
    ///
    /// In contrast to ``tryLast(where:)`` the failure keeps its type, so no cast is needed further down.
    ///
    /// **Demand.** The upstream is asked for everything at once, and the result waits until the subscriber asks for it.
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
    public func tryLast(
        throwing errorType: Failure.Type,
        where predicate: @escaping @Sendable (Output) throws(Failure) -> Bool
    ) -> Operators.TryReduction<Self, Output> {
        Operators.TryReduction("TryLastWhere", upstream: self) { LastReducer(predicate) }
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryLast(where:)`` makes.
    public struct TryLastWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The condition.
        public let predicate: @Sendable (Upstream.Output) throws -> Bool

        /// Makes the publisher; ``Publisher/tryLast(where:)`` is the usual way to it.
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
                    "TryLastWhere", downstream: subscriber, reducer: LastReducer(predicate), ending: .erasing))
        }
    }
}

extension Publishers.TryLastWhere: Sendable where Upstream: Sendable {}

/// Keeps the last value that fulfils a condition.
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
    func conclude() -> Input? {
        match.value
    }
}
