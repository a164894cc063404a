extension Publisher {
    /// Combines each value with the previous result, and publishes each result.
    ///
    /// ```
    /// ──1──2──3──|
    ///   scan(0) { $0 + $1 }
    /// ──1──3──6──|
    /// ```
    ///
    /// The initial result is not published. Demand, the completion and the cancellation pass through.
    ///
    /// - Parameters:
    ///   - initialResult: The result before the first value of each subscription.
    ///   - nextPartialResult: A closure that combines the previous result and a value, called on the delivering thread.
    @preconcurrency
    @inlinable
    public func scan<T>(
        _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) -> T
    ) -> Publishers.Scan<Self, T> {
        Publishers.Scan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
    }
}

extension Publishers {
    /// A publisher that combines each value of its upstream with the previous result.
    public struct Scan<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The result before the first value.
        public let initialResult: Output

        /// The closure that combines the previous result and a value.
        public let nextPartialResult: @Sendable (Output, Upstream.Output) -> Output

        /// Creates a publisher that combines each value of another one with the previous result.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream, initialResult: Output,
            nextPartialResult: @escaping @Sendable (Output, Upstream.Output) -> Output
        ) {
            self.upstream = upstream
            self.initialResult = initialResult
            self.nextPartialResult = nextPartialResult
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                Inner(downstream: subscriber, initialResult: initialResult, nextPartialResult: nextPartialResult))
        }
    }
}

extension Publishers.Scan: Sendable where Upstream: Sendable, Output: Sendable {}

extension Publishers.Scan {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: ForwardingSubscriber
    where Downstream.Input == Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline typealias Failure = Upstream.Failure

        @usableFromInline let downstream: Downstream
        @usableFromInline let nextPartialResult: @Sendable (Output, Upstream.Output) -> Output
        @usableFromInline let result: SerialState<Output>

        @inlinable
        init(
            downstream: Downstream, initialResult: Output,
            nextPartialResult: @escaping @Sendable (Output, Upstream.Output) -> Output
        ) {
            self.downstream = downstream
            self.nextPartialResult = nextPartialResult
            result = SerialState(initialResult)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            let next = nextPartialResult(result.value, input)
            result.value = next
            return downstream.receive(next)
        }
    }
}
