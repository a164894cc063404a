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
                    "Reduce", downstream: subscriber, reducer: FoldReducer(initial, nextPartialResult),
                    ending: .passing))
        }
    }
}

extension Publishers.Reduce: Sendable where Upstream: Sendable, Output: Sendable {}

extension Publisher {
    /// Combines all values into one by a closure that may throw, which ends the stream.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryReduce(0) { if $1 == 3 { throw E } else { $0 + $1 } }
    /// ────────✕ E
    /// ```
    ///
    /// The upstream is asked for everything at once. The result waits until the subscriber asks for it. Cancellation
    /// passes through, and so does a failure.
    /// When the closure throws, the upstream is cancelled and the error delivered.
    ///
    /// - Parameters:
    ///   - initialResult: What the first value is combined with, and the result if there are none.
    ///   - nextPartialResult: Called with the last result and each value, on the thread that delivers the value.
    @preconcurrency
    @inlinable
    public func tryReduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) throws -> T
    ) -> Publishers.TryReduce<Self, T> {
        Publishers.TryReduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
    }

    /// Combines all values into one by a closure that may throw the publisher's own type of failure.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryReduce(throwing: SumError.self, 0) { sum, text throws(SumError) in try sum + number(text) }
    /// ───────────6|
    /// ```
    ///
    /// In contrast to ``tryReduce(_:_:)`` the failure keeps its type, so no cast is needed further down.
    ///
    /// **Demand.** The upstream is asked for everything at once, and the result waits until the subscriber asks for it.
    ///
    /// **Completion.** An error that is thrown cancels the upstream and ends the stream, without waiting for demand.
    ///
    /// **Cancellation and threads** are the upstream's.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - initialResult: What the first value is combined with, and the result if there are none.
    ///   - nextPartialResult: Called with the last result and each value, on the thread that delivers the value.
    @preconcurrency
    @inlinable
    public func tryReduce<T>(
        throwing errorType: Failure.Type,
        _ initialResult: T,
        _ nextPartialResult: @escaping @Sendable (T, Output) throws(Failure) -> T
    ) -> Operators.TryReduction<Self, T> {
        Operators.TryReduction("TryReduce", upstream: self) { FoldReducer(initialResult, nextPartialResult) }
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryReduce(_:_:)`` makes.
    public struct TryReduce<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// What the first value is combined with.
        public let initial: Output

        /// Makes the next result out of the last one and a value.
        public let nextPartialResult: @Sendable (Output, Upstream.Output) throws -> Output

        /// Makes the publisher; ``Publisher/tryReduce(_:_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream, initial: Output,
            nextPartialResult: @escaping @Sendable (Output, Upstream.Output) throws -> Output
        ) {
            self.upstream = upstream
            self.initial = initial
            self.nextPartialResult = nextPartialResult
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(
                ReducingSubscriber(
                    "TryReduce", downstream: subscriber, reducer: FoldReducer(initial, nextPartialResult),
                    ending: .erasing))
        }
    }
}

extension Publishers.TryReduce: Sendable where Upstream: Sendable, Output: Sendable {}

/// Combines the values one after another into a result.
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

    /// - Returns: The new result.
    @inlinable
    func advance(_ input: Input) throws(Thrown) -> Output {
        let next = try combine(result.value, input)
        result.value = next
        return next
    }

    @inlinable
    func conclude() -> Output? {
        result.value
    }
}
