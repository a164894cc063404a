extension Publisher {
    /// Combines every value with the result for the one before, and delivers each result.
    ///
    /// ```
    /// ──1──2──3──|
    ///   scan(0) { $0 + $1 }
    /// ──1──3──6──|
    /// ```
    ///
    /// Demand, cancellation and the completion pass through. The initial result is not delivered.
    ///
    /// - Parameters:
    ///   - initialResult: What the first value is combined with. Each subscription starts with it anew.
    ///   - nextPartialResult: Called with the last result and each value, on the thread that delivers the value.
    @preconcurrency
    @inlinable
    public func scan<T>(
        _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) -> T
    ) -> Publishers.Scan<Self, T> {
        Publishers.Scan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/scan(_:_:)`` makes.
    public struct Scan<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// What the first value is combined with.
        public let initialResult: Output

        /// Makes the next result out of the last one and a value.
        public let nextPartialResult: @Sendable (Output, Upstream.Output) -> Output

        /// Makes the publisher; ``Publisher/scan(_:_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream,
            initialResult: Output,
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
    struct Inner<Downstream: Subscriber>: NamedSubscriber
    where Downstream.Input == Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let nextPartialResult: @Sendable (Output, Upstream.Output) -> Output
        @usableFromInline let result: SerialCell<Output>

        @inlinable
        init(
            downstream: Downstream,
            initialResult: Output,
            nextPartialResult: @escaping @Sendable (Output, Upstream.Output) -> Output
        ) {
            self.downstream = downstream
            self.nextPartialResult = nextPartialResult
            result = SerialCell(initialResult)
        }

        @inlinable var combineIdentifier: CombineIdentifier { CombineIdentifier(result) }
        @usableFromInline var name: OperatorName { .scan }
        @usableFromInline var customMirror: Mirror {
            Mirror(self, children: ["downstream": downstream, "result": result.value])
        }

        @inlinable
        func receive(subscription: any Subscription) {
            downstream.receive(subscription: subscription)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            let next = nextPartialResult(result.value, input)
            result.value = next
            return downstream.receive(next)
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            downstream.receive(completion: completion)
        }
    }
}
