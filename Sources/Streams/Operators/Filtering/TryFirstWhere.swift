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
    ) -> Publishers.TryReduction<Self, Output> {
        Publishers.TryReduction(.tryFirstWhere, upstream: self) { FirstMatch(predicate) }
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
                    .tryFirstWhere, downstream: subscriber, reducer: FirstMatch(predicate), ending: .erasing))
        }
    }
}

extension Publishers.TryFirstWhere: Sendable where Upstream: Sendable {}
