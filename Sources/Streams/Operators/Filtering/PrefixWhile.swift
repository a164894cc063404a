extension Publisher {
    /// Passes on values up to the first one that does not fulfil a condition, and finishes.
    ///
    /// ```
    /// ──1──2──3──1──|
    ///   prefix { $0 < 3 }
    /// ──1──2──|
    /// ```
    ///
    /// The upstream is cancelled at that value. Demand, cancellation and the completion pass through.
    ///
    /// - Parameter predicate: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func prefix(
        while predicate: @escaping @Sendable (Output) -> Bool
    ) -> Publishers.PrefixWhile<Self> {
        Publishers.PrefixWhile(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/prefix(while:)`` makes.
    public struct PrefixWhile<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Whether a value is passed on.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Makes the publisher; ``Publisher/prefix(while:)`` is the usual way to it.
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
                FilteringSubscriber(
                    "PrefixWhile", downstream: subscriber, filter: PrefixWhileFilter(predicate), ending: .passing))
        }
    }
}

extension Publishers.PrefixWhile: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Passes on values up to the first one that does not fulfil a condition, which may throw, and that ends the
    /// stream.
    ///
    /// ```
    /// ──1──2──3──1──|
    ///   tryPrefix { if $0 == 2 { throw E } else { $0 < 3 } }
    /// ──1──✕ E
    /// ```
    ///
    /// The upstream is cancelled at that value. Demand, cancellation and the completion pass through.
    /// When the closure throws, the upstream is cancelled and the error delivered.
    ///
    /// - Parameter predicate: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryPrefix(
        while predicate: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryPrefixWhile<Self> {
        Publishers.TryPrefixWhile(upstream: self, predicate: predicate)
    }

    /// Passes on values up to the first one that does not fulfil a condition, which may throw the publisher's own type
    /// of failure.
    ///
    /// ```
    /// ──1──2──3──1──|
    ///   tryPrefix(throwing: ParseError.self) { text throws(ParseError) in try number(text) < 3 }
    /// ──1──2──|
    /// ```
    ///
    /// In contrast to ``tryPrefix(while:)`` the failure keeps its type, so no cast is needed further down.
    ///
    /// **Demand** passes through. At the first value that does not fulfil the condition the upstream is cancelled.
    ///
    /// **Completion.** An error that is thrown cancels the upstream and ends the stream.
    ///
    /// **Cancellation and threads** are the upstream's.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - predicate: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryPrefix(
        throwing errorType: Failure.Type,
        while predicate: @escaping @Sendable (Output) throws(Failure) -> Bool
    ) -> Operators.TryStatefulTransform<Self, Output> {
        Operators.TryStatefulTransform("TryPrefixWhile", upstream: self) { PrefixWhileFilter(predicate) }
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryPrefix(while:)`` makes.
    public struct TryPrefixWhile<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Whether a value is passed on.
        public let predicate: @Sendable (Upstream.Output) throws -> Bool

        /// Makes the publisher; ``Publisher/tryPrefix(while:)`` is the usual way to it.
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
                FilteringSubscriber(
                    "TryPrefixWhile", downstream: subscriber, filter: PrefixWhileFilter(predicate), ending: .erasing))
        }
    }
}

extension Publishers.TryPrefixWhile: Sendable where Upstream: Sendable {}

/// Closes at the first value that does not fulfil a condition.
@usableFromInline
struct PrefixWhileFilter<Input, Thrown: Error>: ElementFilter {
    @usableFromInline let isWithin: (Input) throws(Thrown) -> Bool

    @inlinable
    init(_ isWithin: @escaping (Input) throws(Thrown) -> Bool) {
        self.isWithin = isWithin
    }

    @inlinable
    func decide(_ input: Input) throws(Thrown) -> Decision<Input> {
        try isWithin(input) ? .pass(input) : .finish
    }
}
