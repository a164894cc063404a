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
    struct Inner<Downstream: Subscriber>: ForwardingSubscriber
    where Downstream.Input == Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let nextPartialResult: @Sendable (Output, Upstream.Output) -> Output
        @usableFromInline let result: SerialState<Output>

        @inlinable
        init(
            downstream: Downstream,
            initialResult: Output,
            nextPartialResult: @escaping @Sendable (Output, Upstream.Output) -> Output
        ) {
            self.downstream = downstream
            self.nextPartialResult = nextPartialResult
            result = SerialState(initialResult)
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

extension Publisher {
    /// Combines every value with the result for the one before, by a closure that may throw, which ends the stream.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryScan(0) { if $1 == 3 { throw E } else { $0 + $1 } }
    /// ──1──3──✕ E
    /// ```
    ///
    /// Demand and cancellation pass through. When the closure throws, the upstream is cancelled and the error
    /// delivered.
    ///
    /// - Parameters:
    ///   - initialResult: What the first value is combined with. Each subscription starts with it anew.
    ///   - nextPartialResult: Called with the last result and each value, on the thread that delivers the value.
    @preconcurrency
    @inlinable
    public func tryScan<T>(
        _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) throws -> T
    ) -> Publishers.TryScan<Self, T> {
        Publishers.TryScan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
    }

    /// Combines every value with the result for the one before, by a closure that may throw the publisher's own type of
    /// failure.
    ///
    /// ```
    /// ──1──2──✗──4──|
    ///   tryScan(throwing: SumError.self, 0) { sum, text throws(SumError) in try sum + number(text) }
    /// ──1──3──✕ SumError
    /// ```
    ///
    /// In contrast to ``tryScan(_:_:)`` the failure keeps its type, so no cast is needed further down.
    ///
    /// **Demand** passes through.
    ///
    /// **Completion.** An error that is thrown cancels the upstream and ends the stream.
    ///
    /// **Cancellation and threads** are the upstream's.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - initialResult: What the first value is combined with. Each subscription starts with it anew.
    ///   - nextPartialResult: Called with the last result and each value, on the thread that delivers the value.
    @preconcurrency
    @inlinable
    public func tryScan<T>(
        throwing errorType: Failure.Type,
        _ initialResult: T,
        _ nextPartialResult: @escaping @Sendable (T, Output) throws(Failure) -> T
    ) -> Operators.TryStatefulTransform<Self, T> {
        Operators.TryStatefulTransform("TryScan", upstream: self) { FoldReducer(initialResult, nextPartialResult) }
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryScan(_:_:)`` makes.
    public struct TryScan<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// What the first value is combined with.
        public let initialResult: Output

        /// Makes the next result out of the last one and a value.
        public let nextPartialResult: @Sendable (Output, Upstream.Output) throws -> Output

        /// Makes the publisher; ``Publisher/tryScan(_:_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream,
            initialResult: Output,
            nextPartialResult: @escaping @Sendable (Output, Upstream.Output) throws -> Output
        ) {
            self.upstream = upstream
            self.initialResult = initialResult
            self.nextPartialResult = nextPartialResult
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(
                Inner(downstream: subscriber, initialResult: initialResult, nextPartialResult: nextPartialResult))
        }
    }
}

extension Publishers.TryScan: Sendable where Upstream: Sendable, Output: Sendable {}

extension Publishers.TryScan {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Output, Downstream.Failure == any Error {
        @usableFromInline let downstream: Downstream
        @usableFromInline let nextPartialResult: @Sendable (Output, Upstream.Output) throws -> Output
        @usableFromInline let result: SerialState<Output>
        @usableFromInline let link: UpstreamLink

        @inlinable
        init(
            downstream: Downstream,
            initialResult: Output,
            nextPartialResult: @escaping @Sendable (Output, Upstream.Output) throws -> Output
        ) {
            self.downstream = downstream
            self.nextPartialResult = nextPartialResult
            result = SerialState(initialResult)
            link = OperatorSubscription("TryScan")
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            do {
                result.value = try nextPartialResult(result.value, input)
            } catch {
                if link.complete(cancellingUpstream: true) { downstream.receive(completion: .failure(error)) }
                return .none
            }
            return downstream.receive(result.value)
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.complete() { downstream.receive(completion: completion.erasingFailure()) }
        }
    }
}

extension FoldReducer: ElementFilter {
    @inlinable
    func decide(_ input: Input) throws(Thrown) -> Decision<Output> {
        .pass(try advance(input))
    }
}
