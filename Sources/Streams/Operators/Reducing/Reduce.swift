extension Publisher {
    /// Combines all values into one and publishes the result when the upstream finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   reduce(0) { $0 + $1 }
    /// ───────────6|
    /// ```
    ///
    /// **Demand.** Requests all values of the upstream. The result waits for demand.
    ///
    /// **Completion.** A failure is delivered at once, without a result.
    ///
    /// **Cancellation.** Cancels the upstream.
    ///
    /// **Threads.** The result is delivered on the thread that finishes the upstream or requests the result.
    ///
    /// - Parameters:
    ///   - initialResult: The value to combine the first value with, and the result for an empty stream.
    ///   - nextPartialResult: A closure that combines the previous result with a value.
    @preconcurrency
    @inlinable
    public func reduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) -> T
    ) -> Publishers.Reduce<Self, T> {
        Publishers.Reduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
    }
}

extension Publishers {
    /// A publisher that combines all values of the upstream into one.
    public struct Reduce<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// The value that the first value is combined with.
        public let initial: Output

        /// A closure that combines the previous result with a value.
        public let nextPartialResult: @Sendable (Output, Upstream.Output) -> Output

        /// Creates a publisher that combines values. Usually created with ``Publisher/reduce(_:_:)``.
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
                    "Reduce", downstream: subscriber, reducer: FoldReducer(initial, nextPartialResult),
                    mapping: .passing))
        }
    }
}

extension Publishers.Reduce: Sendable where Upstream: Sendable, Output: Sendable {}

/// Combines the result so far with each value. Also the filter of the throwing forms of `scan`.
@usableFromInline
struct FoldReducer<Input, Output, Thrown: Error>: Reducer {
    @usableFromInline let combine: (Output, Input) throws(Thrown) -> Output
    @usableFromInline let result: SerialState<Output>

    @inlinable
    init(_ initial: Output, _ combine: @escaping (Output, Input) throws(Thrown) -> Output) {
        self.combine = combine
        result = SerialState(initial)
    }

    @inlinable
    func take(_ input: Input) throws(Thrown) -> Output? {
        _ = try advance(input)
        return nil
    }

    /// Combines the result with a value, and returns the new result.
    @inlinable
    func advance(_ input: Input) throws(Thrown) -> Output {
        let next = try combine(result.value, input)
        result.value = next
        return next
    }

    @inlinable
    func finish() -> Output? {
        result.value
    }
}
