extension Publisher {
    /// Transforms every value by a closure that may throw the publisher's own type of failure.
    ///
    /// ```
    /// ──1──2──✗──4──|
    ///   tryMap(throwing: ParseError.self) { text throws(ParseError) in try parse(text) }
    /// ──a──b──✕ ParseError
    /// ```
    ///
    /// In contrast to ``tryMap(_:)`` the failure keeps its type, so no cast is needed further down. A publisher that
    /// cannot fail gets a type of failure by ``setFailureType(to:)`` first.
    ///
    /// **Demand, cancellation and threads** are the upstream's.
    ///
    /// **Completion.** An error that is thrown cancels the upstream and ends the stream.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - transform: Called with each value.
    @preconcurrency
    @inlinable
    public func tryMap<T>(
        throwing errorType: Failure.Type,
        _ transform: @escaping @Sendable (Output) throws(Failure) -> T
    ) -> Publishers.TryTransform<Self, T> {
        Publishers.TryTransform(upstream: self) { (value) throws(Failure) -> T? in try transform(value) }
    }

    /// Transforms every value by a closure that may throw the publisher's own type of failure, and drops the results
    /// that are nil.
    ///
    /// ```
    /// ──1──2──✗──4──|
    ///   tryCompactMap(throwing: ParseError.self) { text throws(ParseError) in try number(text) }
    /// ──1─────✕ ParseError
    /// ```
    ///
    /// **Demand.** For a value that is dropped another one is asked for.
    ///
    /// **Completion.** An error that is thrown cancels the upstream and ends the stream.
    ///
    /// **Cancellation and threads** are the upstream's.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - transform: Called with each value.
    @preconcurrency
    @inlinable
    public func tryCompactMap<T>(
        throwing errorType: Failure.Type,
        _ transform: @escaping @Sendable (Output) throws(Failure) -> T?
    ) -> Publishers.TryTransform<Self, T> {
        Publishers.TryTransform(upstream: self, transform: transform)
    }

    /// Passes the values on that a condition holds for, which may throw the publisher's own type of failure.
    ///
    /// ```
    /// ──1──2──✗──4──|
    ///   tryFilter(throwing: ParseError.self) { text throws(ParseError) in try isWanted(text) }
    /// ──1─────✕ ParseError
    /// ```
    ///
    /// **Demand.** For a value that is dropped another one is asked for.
    ///
    /// **Completion.** An error that is thrown cancels the upstream and ends the stream.
    ///
    /// **Cancellation and threads** are the upstream's.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - isIncluded: Called with each value.
    @preconcurrency
    @inlinable
    public func tryFilter(
        throwing errorType: Failure.Type,
        _ isIncluded: @escaping @Sendable (Output) throws(Failure) -> Bool
    ) -> Publishers.TryTransform<Self, Output> {
        Publishers.TryTransform(upstream: self) { (value) throws(Failure) -> Output? in
            try isIncluded(value) ? value : nil
        }
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryMap(throwing:_:)`` and its like make.
    public struct TryTransform<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Transforms a value; nil drops it.
        public let transform: @Sendable (Upstream.Output) throws(Failure) -> Output?

        /// Makes the publisher; ``Publisher/tryMap(throwing:_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) throws(Failure) -> Output?
        ) {
            self.upstream = upstream
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                GatingSubscriber(
                    .tryTransform, downstream: subscriber, gate: Transformation(transform), ending: .keeping,
                    portrait: .subscriber))
        }
    }
}

extension Publishers.TryTransform: Sendable where Upstream: Sendable {}
