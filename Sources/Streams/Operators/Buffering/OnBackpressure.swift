extension Publisher {
    /// Keeps the values that the subscriber has not asked for yet, without limit.
    ///
    /// ```
    /// ──1──2──3──────|        asked for one
    ///   onBackpressureBuffer()
    /// ──1────────2──3|        asked for the rest after 3
    /// ```
    ///
    /// **Demand.** The upstream is asked for everything at once, the subscriber gets what it asks for.
    ///
    /// **Completion** comes after the values that are kept, a failure too.
    ///
    /// **Cancellation** passes through at once; what is kept is dropped.
    ///
    /// **Threads.** Values come on the thread that sends them, or on the one that asks for them.
    @inlinable
    public func onBackpressureBuffer() -> Operators.Backpressure<Self> {
        Operators.Backpressure(upstream: self, limit: .max, whenFull: .dropNewest)
    }

    /// Keeps a number of the values that the subscriber has not asked for yet.
    ///
    /// ```
    /// ──1──2──3──4──────|     asked for one
    ///   onBackpressureBuffer(limit: 2, whenFull: .dropOldest)
    /// ──1────────────3──4|    asked for the rest after 4
    /// ```
    ///
    /// In contrast to ``buffer(size:prefetch:whenFull:)``, which is Combine's, a failure of the upstream waits for the
    /// values that are kept, and an overflow that fails comes right after them: nothing that was kept is lost.
    ///
    /// **Demand.** The upstream is asked for everything at once, the subscriber gets what it asks for.
    ///
    /// **Completion** comes after the values that are kept, a failure too. When the buffer fails, the upstream is
    /// cancelled first.
    ///
    /// **Cancellation** passes through at once; what is kept is dropped.
    ///
    /// **Threads.** Values come on the thread that sends them, or on the one that asks for them.
    ///
    /// - Parameters:
    ///   - limit: How many values are kept at most.
    ///   - whenFull: What becomes of a value for which there is no room.
    @inlinable
    public func onBackpressureBuffer(
        limit: Int, whenFull: Publishers.BufferingStrategy<Failure>
    ) -> Operators.Backpressure<Self> {
        Operators.Backpressure(upstream: self, limit: limit, whenFull: whenFull)
    }

    /// Drops the values for which there is no demand when they come.
    ///
    /// ```
    /// ──1──2──3──4──|         asked for one, and for another one after 3
    ///   onBackpressureDrop()
    /// ──1────────4──|
    /// ```
    ///
    /// **Demand.** The upstream is asked for everything at once.
    ///
    /// **Completion** passes through.
    ///
    /// **Cancellation** passes through at once.
    ///
    /// **Threads.** Signals come on the thread that sends them.
    @inlinable
    public func onBackpressureDrop() -> Operators.Backpressure<Self> {
        Operators.Backpressure(upstream: self, limit: 0, whenFull: .dropNewest)
    }

    /// Keeps the newest of the values that the subscriber has not asked for yet, and drops the others.
    ///
    /// ```
    /// ──1──2──3─────|         asked for one, and for another one after 3
    ///   onBackpressureLatest()
    /// ──1───────3───|
    /// ```
    ///
    /// **Demand.** The upstream is asked for everything at once.
    ///
    /// **Completion** comes after the value that is kept, a failure too.
    ///
    /// **Cancellation** passes through at once; what is kept is dropped.
    ///
    /// **Threads.** Values come on the thread that sends them, or on the one that asks for them.
    @inlinable
    public func onBackpressureLatest() -> Operators.Backpressure<Self> {
        Operators.Backpressure(upstream: self, limit: 1, whenFull: .dropOldest)
    }

    /// Fails where a value comes that the subscriber has not asked for.
    ///
    /// ```
    /// ──1──2──3──|            asked for one
    ///   onBackpressureError { TooSlow() }
    /// ──1──✕ TooSlow
    /// ```
    ///
    /// **Demand.** The upstream is asked for everything at once.
    ///
    /// **Completion** passes through. When it fails here, the upstream is cancelled first.
    ///
    /// **Cancellation** passes through at once.
    ///
    /// **Threads.** Signals come on the thread that sends them.
    ///
    /// - Parameter makeError: Makes the failure.
    @preconcurrency
    @inlinable
    public func onBackpressureError(_ makeError: @escaping @Sendable () -> Failure) -> Operators.Backpressure<Self> {
        Operators.Backpressure(upstream: self, limit: 0, whenFull: .customError(makeError))
    }
}

extension Operators {
    /// The publisher that ``Publisher/onBackpressureBuffer()`` and the like make.
    public struct Backpressure<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// How many values are kept at most.
        public let limit: Int

        /// What becomes of a value for which there is neither demand nor room.
        public let whenFull: Publishers.BufferingStrategy<Failure>

        /// Makes the publisher; ``Publisher/onBackpressureBuffer()`` is the usual way to it.
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
            buffer.open()
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
