extension Publisher {
    /// Publishes the last value when the upstream finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   last()
    /// ───────────3|
    /// ```
    ///
    /// The cancellation passes through.
    ///
    /// **Demand.** The operator requests all values. The result is buffered until the subscriber requests it.
    ///
    /// **Completion.** A failure passes through at once. Without a value there is a completion alone.
    ///
    /// **Threads.** The result is delivered on the thread that completes the upstream or requests it, whichever comes
    /// later.
    @inlinable
    public func last() -> Publishers.Last<Self> {
        Publishers.Last(upstream: self)
    }
}

extension Publishers {
    /// A publisher of the last value of its upstream.
    public struct Last<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Creates a publisher of the last value of another one.
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
    /// Publishes the last value that satisfies a condition when the upstream finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   last { $0 < 3 }
    /// ───────────2|
    /// ```
    ///
    /// The cancellation passes through.
    ///
    /// **Demand.** The operator requests all values. The result is buffered until the subscriber requests it.
    ///
    /// **Completion.** A failure passes through at once. Without a match there is a completion alone.
    ///
    /// - Parameter predicate: A closure that returns whether a value is a match, called on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func last(
        where predicate: @escaping @Sendable (Output) -> Bool
    ) -> Publishers.LastWhere<Self> {
        Publishers.LastWhere(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher of the last value of its upstream that satisfies a condition.
    public struct LastWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that returns whether a value is a match.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Creates a publisher of the last value of another one that satisfies a condition.
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
    /// Publishes the last value that satisfies a condition that can throw, when the upstream finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryLast { if $0 == 2 { throw E } else { $0 < 3 } }
    /// ─────✕ E
    /// ```
    ///
    /// The cancellation passes through.
    ///
    /// **Demand.** The operator requests all values. The result is buffered until the subscriber requests it.
    ///
    /// **Completion.** An error that the closure throws cancels the upstream and becomes the failure, which does not
    /// wait for demand.
    ///
    /// - Parameter predicate: A closure that returns whether a value is a match, called on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryLast(
        where predicate: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryLastWhere<Self> {
        Publishers.TryLastWhere(upstream: self, predicate: predicate)
    }

    /// Publishes the last value that satisfies a condition that can throw the publisher's type of failure, when the
    /// upstream finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryLast(throwing: ParseError.self) { text throws(ParseError) in try number(text) < 3 }
    /// ───────────2|
    /// ```
    ///
    /// In contrast to ``tryLast(where:)``, the failure keeps its type. The cancellation passes through.
    ///
    /// **Demand.** The operator requests all values. The result is buffered until the subscriber requests it.
    ///
    /// **Completion.** An error that the closure throws cancels the upstream and becomes the failure, which does not
    /// wait for demand.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - predicate: A closure that returns whether a value is a match, called on the thread that delivers it.
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
    /// A publisher of the last value of its upstream that satisfies a condition that can throw.
    public struct TryLastWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that returns whether a value is a match.
        public let predicate: @Sendable (Upstream.Output) throws -> Bool

        /// Creates a publisher of the last value of another one that satisfies a condition that can throw.
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

/// Finds the last value that satisfies a condition.
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
