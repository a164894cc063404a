extension Publisher {
    /// Buffers the values that the subscriber has not requested yet, without limit.
    ///
    /// ```
    /// ──1──2──3──────|        requests one
    ///   onBackpressureBuffer()
    /// ──1────────2──3|        requests the others after 3
    /// ```
    ///
    /// **Demand.** All values are requested at once.
    ///
    /// **Completion** follows the buffered values, a failure too.
    ///
    /// **Cancellation** passes through at once and drops the buffered values.
    ///
    /// **Threads.** A value is delivered on the thread that sends it or on the one that requests it.
    @inlinable
    public func onBackpressureBuffer() -> Operators.Backpressure<Self> {
        Operators.Backpressure(upstream: self, limit: .max, whenFull: .dropNewest)
    }

    /// Buffers a limited number of the values that the subscriber has not requested yet.
    ///
    /// ```
    /// ──1──2──3──4──────|     requests one
    ///   onBackpressureBuffer(limit: 2, whenFull: .dropOldest)
    /// ──1────────────3──4|    requests the others after 4
    /// ```
    ///
    /// Unlike with Combine's ``buffer(size:prefetch:whenFull:)``, every failure follows the buffered values.
    ///
    /// **Demand.** All values are requested at once.
    ///
    /// **Completion** follows the buffered values, a failure too. If the buffer fails, the upstream is cancelled first.
    ///
    /// **Cancellation** passes through at once and drops the buffered values.
    ///
    /// **Threads.** A value is delivered on the thread that sends it or on the one that requests it.
    ///
    /// - Parameters:
    ///   - limit: The largest number of buffered values.
    ///   - whenFull: The strategy for a value for which there is no room.
    @inlinable
    public func onBackpressureBuffer(
        limit: Int, whenFull: Publishers.BufferingStrategy<Failure>
    ) -> Operators.Backpressure<Self> {
        Operators.Backpressure(upstream: self, limit: limit, whenFull: whenFull)
    }

    /// Drops the values that arrive without demand.
    ///
    /// ```
    /// ──1──2──3──4──|         requests one, and another after 3
    ///   onBackpressureDrop()
    /// ──1────────4──|
    /// ```
    ///
    /// **Demand.** All values are requested at once.
    ///
    /// **Completion and cancellation** pass through at once.
    ///
    /// **Threads.** Signals come on the thread that sends them.
    @inlinable
    public func onBackpressureDrop() -> Operators.Backpressure<Self> {
        Operators.Backpressure(upstream: self, limit: 0, whenFull: .dropNewest)
    }

    /// Buffers the newest of the values that the subscriber has not requested yet, and drops the others.
    ///
    /// ```
    /// ──1──2──3─────|         requests one, and another after 3
    ///   onBackpressureLatest()
    /// ──1───────3───|
    /// ```
    ///
    /// **Demand.** All values are requested at once.
    ///
    /// **Completion** follows the buffered value, a failure too.
    ///
    /// **Cancellation** passes through at once and drops the buffered value.
    ///
    /// **Threads.** A value is delivered on the thread that sends it or on the one that requests it.
    @inlinable
    public func onBackpressureLatest() -> Operators.Backpressure<Self> {
        Operators.Backpressure(upstream: self, limit: 1, whenFull: .dropOldest)
    }

    /// Fails when a value arrives without demand.
    ///
    /// ```
    /// ──1──2──3──|            requests one
    ///   onBackpressureError { TooSlow() }
    /// ──1──✕ TooSlow
    /// ```
    ///
    /// **Demand.** All values are requested at once.
    ///
    /// **Completion and cancellation** pass through at once. When the operator fails, it cancels the upstream first.
    ///
    /// **Threads.** Signals come on the thread that sends them.
    ///
    /// - Parameter makeError: A closure that makes the failure.
    @preconcurrency
    @inlinable
    public func onBackpressureError(_ makeError: @escaping @Sendable () -> Failure) -> Operators.Backpressure<Self> {
        Operators.Backpressure(upstream: self, limit: 0, whenFull: .customError(makeError))
    }
}

extension Operators {
    /// A publisher that buffers, drops or refuses values without demand.
    public struct Backpressure<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The largest number of buffered values.
        public let limit: Int

        /// The strategy for a value for which there is neither demand nor room.
        public let whenFull: Publishers.BufferingStrategy<Failure>

        /// Creates the publisher of ``Publisher/onBackpressureBuffer(limit:whenFull:)``.
        @inlinable
        public init(upstream: Upstream, limit: Int, whenFull: Publishers.BufferingStrategy<Failure>) {
            self.upstream = upstream
            self.limit = limit
            self.whenFull = whenFull
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let buffer = DemandBuffer("Backpressure", downstream: subscriber, limit: limit, whenFull: whenFull)
            upstream.subscribe(Inner(buffer: buffer))
        }
    }
}

extension Operators.Backpressure: Sendable where Upstream: Sendable {}

extension Operators.Backpressure {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: Subscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let buffer: DemandBuffer<Downstream>

        @inlinable
        init(buffer: DemandBuffer<Downstream>) {
            self.buffer = buffer
        }

        @inlinable var combineIdentifier: CombineIdentifier { link.combineIdentifier }
        @inlinable var link: UpstreamLink { buffer.link }

        @inlinable
        func receive(subscription: any Subscription) {
            guard link.attach(subscription) else { return }
            buffer.start()
            link.request(.unlimited)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            if link.isActive { buffer.send(input) }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.complete() { buffer.send(completion: completion) }
        }
    }
}
