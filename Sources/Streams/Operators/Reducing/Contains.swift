extension Publisher where Output: Equatable {
    /// Publishes whether the upstream delivers a given value.
    ///
    /// ```
    /// ──1──2──3──|
    ///   contains(2)
    /// ─────true|
    /// ```
    ///
    /// **Demand.** Requests all values of the upstream. The result waits for demand.
    ///
    /// **Completion.** Cancels the upstream as soon as the result is certain. An earlier failure is delivered at once.
    ///
    /// **Cancellation.** Cancels the upstream.
    ///
    /// **Threads.** The result is delivered on the thread that makes it certain or requests it.
    ///
    /// - Parameter output: The value to look for.
    @inlinable
    public func contains(_ output: Output) -> Publishers.Contains<Self> {
        Publishers.Contains(upstream: self, output: output)
    }
}

extension Publishers {
    /// A publisher that delivers whether the upstream delivers a given value.
    public struct Contains<Upstream: Publisher>: Publisher where Upstream.Output: Equatable {
        public typealias Output = Bool
        public typealias Failure = Upstream.Failure

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// The value to look for.
        public let output: Upstream.Output

        /// Creates a publisher that looks for a value. Usually created with ``Publisher/contains(_:)``.
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
                    "Contains", downstream: subscriber,
                    reducer: ConditionReducer(decisive: true) { [output] in $0 == output },
                    mapping: .passing))
        }
    }
}

extension Publishers.Contains: Equatable where Upstream: Equatable {}
extension Publishers.Contains: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

extension Publisher {
    /// Publishes whether a value of the upstream satisfies a condition.
    ///
    /// ```
    /// ──1──2──3──|
    ///   contains { $0 > 1 }
    /// ─────true|
    /// ```
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
    public func contains(where predicate: @escaping @Sendable (Output) -> Bool) -> Publishers.ContainsWhere<Self> {
        Publishers.ContainsWhere(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher that delivers whether a value of the upstream satisfies a condition.
    public struct ContainsWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Bool
        public typealias Failure = Upstream.Failure

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// A closure that returns whether a value satisfies the condition.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Creates a publisher that looks for a value. Usually created with ``Publisher/contains(where:)``.
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
                    "ContainsWhere", downstream: subscriber, reducer: ConditionReducer(decisive: true, predicate),
                    mapping: .passing))
        }
    }
}

extension Publishers.ContainsWhere: Sendable where Upstream: Sendable {}

/// Tests values until the condition has the decisive result: true for `contains`, false for `allSatisfy`.
@usableFromInline
struct ConditionReducer<Input, Thrown: Error>: Reducer {
    @usableFromInline let decisive: Bool
    @usableFromInline let condition: (Input) throws(Thrown) -> Bool

    @inlinable
    init(decisive: Bool, _ condition: @escaping (Input) throws(Thrown) -> Bool) {
        self.decisive = decisive
        self.condition = condition
    }

    @inlinable
    func take(_ input: Input) throws(Thrown) -> Bool? {
        try condition(input) == decisive ? decisive : nil
    }

    @inlinable
    func finish() -> Bool? {
        !decisive
    }
}
