extension Publisher where Output: Equatable {
    /// Tells whether a value is among those of this publisher.
    ///
    /// ```
    /// ──1──2──3──|
    ///   contains(2)
    /// ─────true|
    /// ```
    ///
    /// The upstream is asked for everything at once, and cancelled when the answer is certain, which then waits until
    /// the subscriber asks for it. Cancellation and a failure pass through. The answer comes on the thread that makes
    /// it certain or that asks for it.
    ///
    /// - Parameter output: What is looked for.
    @inlinable
    public func contains(_ output: Output) -> Publishers.Contains<Self> {
        Publishers.Contains(upstream: self, output: output)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/contains(_:)`` makes.
    public struct Contains<Upstream: Publisher>: Publisher where Upstream.Output: Equatable {
        public typealias Output = Bool
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// What is looked for.
        public let output: Upstream.Output

        /// Makes the publisher; ``Publisher/contains(_:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, output: Upstream.Output) {
            self.upstream = upstream
            self.output = output
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                ReducingSubscriber(
                    "Contains", downstream: subscriber, reducer: ContainsReducer { [output] in $0 == output },
                    ending: .passing))
        }
    }
}

extension Publishers.Contains: Equatable where Upstream: Equatable {}
extension Publishers.Contains: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

extension Publisher {
    /// Tells whether there is a value that fulfils a condition.
    ///
    /// ```
    /// ──1──2──3──|
    ///   contains { $0 > 1 }
    /// ─────true|
    /// ```
    ///
    /// The upstream is asked for everything at once, and cancelled when the answer is certain, which then waits until
    /// the subscriber asks for it. Cancellation and a failure pass through.
    ///
    /// - Parameter predicate: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func contains(
        where predicate: @escaping @Sendable (Output) -> Bool
    ) -> Publishers.ContainsWhere<Self> {
        Publishers.ContainsWhere(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/contains(where:)`` makes.
    public struct ContainsWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Bool
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The condition.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Makes the publisher; ``Publisher/contains(where:)`` is the usual way to it.
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
                    "ContainsWhere", downstream: subscriber, reducer: ContainsReducer(isFound: predicate),
                    ending: .passing))
        }
    }
}

extension Publishers.ContainsWhere: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Tells whether there is a value that fulfils a condition, which may throw, and that ends the stream.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryContains { if $0 == 2 { throw E } else { $0 > 1 } }
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
    public func tryContains(
        where predicate: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryContainsWhere<Self> {
        Publishers.TryContainsWhere(upstream: self, predicate: predicate)
    }

    /// Tells whether there is a value that fulfils a condition, which may throw the publisher's own type of failure.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryContains(throwing: ParseError.self) { text throws(ParseError) in try number(text) > 1 }
    /// ─────true|
    /// ```
    ///
    /// In contrast to ``tryContains(where:)`` the failure keeps its type, so no cast is needed further down.
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
    public func tryContains(
        throwing errorType: Failure.Type,
        where predicate: @escaping @Sendable (Output) throws(Failure) -> Bool
    ) -> Operators.TryReduction<Self, Bool> {
        Operators.TryReduction("TryContainsWhere", upstream: self) { ContainsReducer(isFound: predicate) }
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryContains(where:)`` makes.
    public struct TryContainsWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Bool
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The condition.
        public let predicate: @Sendable (Upstream.Output) throws -> Bool

        /// Makes the publisher; ``Publisher/tryContains(where:)`` is the usual way to it.
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
                    "TryContainsWhere", downstream: subscriber, reducer: ContainsReducer(isFound: predicate),
                    ending: .erasing))
        }
    }
}

extension Publishers.TryContainsWhere: Sendable where Upstream: Sendable {}

/// Looks for a value that fulfils a condition.
@usableFromInline
struct ContainsReducer<Input, Thrown: Error>: Reducer {
    @usableFromInline let isFound: (Input) throws(Thrown) -> Bool

    @inlinable
    init(isFound: @escaping (Input) throws(Thrown) -> Bool) {
        self.isFound = isFound
    }

    @inlinable
    func take(_ input: Input) throws(Thrown) -> Bool? {
        try isFound(input) ? true : nil
    }

    @inlinable
    func conclude() -> Bool? {
        false
    }
}
