extension Publisher {
    /// Tells whether all values fulfil a condition.
    ///
    /// ```
    /// ──1──2──3──|
    ///   allSatisfy { $0 < 3 }
    /// ────────false|
    /// ```
    ///
    /// The upstream is asked for everything at once, and cancelled when the answer is certain, which then waits until
    /// the subscriber asks for it. Cancellation and a failure pass through.
    ///
    /// - Parameter predicate: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func allSatisfy(
        _ predicate: @escaping @Sendable (Output) -> Bool
    ) -> Publishers.AllSatisfy<Self> {
        Publishers.AllSatisfy(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/allSatisfy(_:)`` makes.
    public struct AllSatisfy<Upstream: Publisher>: Publisher {
        public typealias Output = Bool
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The condition.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Makes the publisher; ``Publisher/allSatisfy(_:)`` is the usual way to it.
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
                    "AllSatisfy", downstream: subscriber, reducer: AllSatisfyReducer(predicate), ending: .passing))
        }
    }
}

extension Publishers.AllSatisfy: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Tells whether all values fulfil a condition, which may throw, and that ends the stream.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryAllSatisfy { if $0 == 2 { throw E } else { $0 < 3 } }
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
    public func tryAllSatisfy(
        _ predicate: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryAllSatisfy<Self> {
        Publishers.TryAllSatisfy(upstream: self, predicate: predicate)
    }

    /// Tells whether all values fulfil a condition, which may throw the publisher's own type of failure.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryAllSatisfy(throwing: ParseError.self) { text throws(ParseError) in try number(text) < 3 }
    /// ────────false|
    /// ```
    ///
    /// In contrast to ``tryAllSatisfy(_:)`` the failure keeps its type, so no cast is needed further down.
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
    public func tryAllSatisfy(
        throwing errorType: Failure.Type,
        _ predicate: @escaping @Sendable (Output) throws(Failure) -> Bool
    ) -> Operators.TryReduction<Self, Bool> {
        Operators.TryReduction("TryAllSatisfy", upstream: self) { AllSatisfyReducer(predicate) }
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryAllSatisfy(_:)`` makes.
    public struct TryAllSatisfy<Upstream: Publisher>: Publisher {
        public typealias Output = Bool
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The condition.
        public let predicate: @Sendable (Upstream.Output) throws -> Bool

        /// Makes the publisher; ``Publisher/tryAllSatisfy(_:)`` is the usual way to it.
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
                    "TryAllSatisfy", downstream: subscriber, reducer: AllSatisfyReducer(predicate), ending: .erasing))
        }
    }
}

extension Publishers.TryAllSatisfy: Sendable where Upstream: Sendable {}

/// Looks for a value that does not fulfil a condition.
@usableFromInline
struct AllSatisfyReducer<Input, Thrown: Error>: Reducer {
    @usableFromInline let isFulfilled: (Input) throws(Thrown) -> Bool

    @inlinable
    init(_ isFulfilled: @escaping (Input) throws(Thrown) -> Bool) {
        self.isFulfilled = isFulfilled
    }

    @inlinable
    func take(_ input: Input) throws(Thrown) -> Bool? {
        try isFulfilled(input) ? nil : false
    }

    @inlinable
    func conclude() -> Bool? {
        true
    }
}
