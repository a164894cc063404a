extension Publisher {
    /// Combines all values into one, delivered once there are no more.
    ///
    /// ```
    /// ──1──2──3──|
    ///   reduce(0) { $0 + $1 }
    /// ───────────6|
    /// ```
    ///
    /// The upstream is asked for everything at once. The result waits until the subscriber asks for it. Cancellation
    /// passes through, and so does a failure.
    ///
    /// - Parameters:
    ///   - initialResult: What the first value is combined with, and the result if there are none.
    ///   - nextPartialResult: Called with the last result and each value, on the thread that delivers the value.
    @preconcurrency
    @inlinable
    public func reduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) -> T
    ) -> Publishers.Reduce<Self, T> {
        Publishers.Reduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/reduce(_:_:)`` makes.
    public struct Reduce<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// What the first value is combined with.
        public let initial: Output

        /// Makes the next result out of the last one and a value.
        public let nextPartialResult: @Sendable (Output, Upstream.Output) -> Output

        /// Makes the publisher; ``Publisher/reduce(_:_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream, initial: Output,
            nextPartialResult: @escaping @Sendable (Output, Upstream.Output) -> Output
        ) {
            self.upstream = upstream
            self.initial = initial
            self.nextPartialResult = nextPartialResult
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                ReducingSubscriber(
                    .reduce, downstream: subscriber, reducer: Accumulation(initial, nextPartialResult),
                    ending: .passing))
        }
    }
}

extension Publishers.Reduce: Sendable where Upstream: Sendable, Output: Sendable {}
