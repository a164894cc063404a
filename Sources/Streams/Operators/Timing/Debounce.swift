extension Publisher {
    /// Publishes a value when no other value has followed it for some time.
    ///
    /// ```
    /// ──1─2─3───────4──────|
    ///   debounce(for: .seconds(2), scheduler: queue)
    /// ───────────3───────4─|     on the queue, two seconds after 3 and 4
    /// ```
    ///
    /// **Demand.** All values are requested. A value is dropped if there is no demand when its time has passed.
    ///
    /// **Completion.** The completion is delivered as soon as the scheduler can, also if it is a failure. It drops the
    /// value that is held back, as in Combine. ``debounce(for:scheduler:options:emitLast:)`` can deliver that value.
    ///
    /// **Cancellation.** Cancels the upstream and the timer on the calling thread, and drops the value held back.
    ///
    /// **Threads.** The subscription is delivered on the subscribing thread, other signals on the scheduler.
    ///
    /// - Parameters:
    ///   - dueTime: The time without another value, on the scheduler's clock.
    ///   - scheduler: The scheduler that measures the time and delivers.
    ///   - options: The scheduler's options, used for the timer.
    @inlinable
    public func debounce<S: Scheduler>(
        for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.Debounce<Self, S> {
        Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options)
    }

    /// Publishes a value when no other value has followed it for some time, or when the upstream finishes.
    ///
    /// ```
    /// ──1─2─3───────4─|
    ///   debounce(for: .seconds(2), scheduler: queue, emitLast: true)
    /// ───────────3────4|         on the queue, 3 after two seconds, 4 with the completion
    /// ```
    ///
    /// **Completion.** The value that is held back when the upstream finishes is delivered before the completion, as soon
    /// as the scheduler can, if there is demand for it. A failure drops the value.
    ///
    /// Demand, cancellation and threads are those of ``debounce(for:scheduler:options:)``.
    ///
    /// - Parameters:
    ///   - dueTime: The time without another value, on the scheduler's clock.
    ///   - scheduler: The scheduler that measures the time and delivers.
    ///   - options: The scheduler's options, used for the timer.
    ///   - emitLast: Whether to deliver the value that is held back when the upstream finishes.
    @inlinable
    public func debounce<S: Scheduler>(
        for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil, emitLast: Bool
    ) -> Publishers.Debounce<Self, S> {
        Publishers.Debounce(
            upstream: self, dueTime: dueTime, scheduler: scheduler, options: options, emitLast: emitLast)
    }
}

extension Publishers {
    /// A publisher that publishes a value when no other value has followed it for some time.
    public struct Debounce<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The time without another value.
        public let dueTime: Context.SchedulerTimeType.Stride

        /// The scheduler that measures the time and delivers.
        public let scheduler: Context

        /// The scheduler's options, used for the timer.
        public let options: Context.SchedulerOptions?

        /// Whether to deliver the value that is held back when the upstream finishes.
        public let emitLast: Bool

        /// Creates the publisher of ``Publisher/debounce(for:scheduler:options:emitLast:)``.
        @inlinable
        public init(
            upstream: Upstream, dueTime: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?, emitLast: Bool = false
        ) {
            self.upstream = upstream
            self.dueTime = dueTime
            self.scheduler = scheduler
            self.options = options
            self.emitLast = emitLast
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, settings: self))
        }
    }
}

extension Publishers.Debounce: Sendable
where
    Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable,
    Context.SchedulerTimeType.Stride: Sendable
{}

extension Publishers.Debounce {
    /// Starts one timer for a burst of values: when it fires before the newest value is due, it is started again for the
    /// rest of the time.
    @usableFromInline
    final class Inner<Downstream: Subscriber>: ScheduledReceiver
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline typealias Time = Context.SchedulerTimeType
        /// Holds the newest value back. It holds one exactly while there is a timer.
        @usableFromInline typealias Link = TimedLink<Inner, Downstream.Input>

        @usableFromInline let downstream: Downstream
        @usableFromInline let dueTime: Time.Stride
        @usableFromInline let scheduler: Context
        @usableFromInline let options: Context.SchedulerOptions?
        @usableFromInline let emitLast: Bool
        @usableFromInline let link: Link

        /// The time at which the newest value is due, if it has come after the timer was started. Guarded by the lock of
        /// the link's state.
        @exclusivity(unchecked) @usableFromInline var laterDate: Time?

        @inlinable
        init(downstream: Downstream, settings: Publishers.Debounce<Upstream, Context>) {
            self.downstream = downstream
            dueTime = settings.dueTime
            scheduler = settings.scheduler
            options = settings.options
            emitLast = settings.emitLast
            link = Link("Debounce")
        }

        @inlinable
        func receive(subscription: any Subscription) {
            link.start(subscription, for: self)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            let date = scheduler.now.advanced(by: dueTime)
            if let generation = hold(input, until: date) { startTimer(at: date, generation: generation) }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            var needsJob = false
            if emitLast, case .finished = completion { needsJob = link.enqueueHeld() }
            link.end()
            if link.queue.append(.completion(completion), isLast: true, for: self) { needsJob = true }
            if needsJob { scheduleJob(for: .completion(completion)) }
        }

        /// Replaces the value that is held back.
        ///
        /// - Returns: The generation of the timer that has to be started, nil if there is one already or after
        ///   cancellation.
        @inlinable
        func hold(_ input: Upstream.Output, until date: Time) -> UInt64? {
            var date: Time? = date
            let (generation, replaced) = link.state.withLock { state -> (UInt64?, (Downstream.Input, Inner)?) in
                if state.isOver { return (nil, nil) }
                guard let replaced = exchange(&state.held, with: (input, self)) else {
                    return (state.timer.generation, nil)
                }
                // Swapped, so that the previous date is released outside the lock.
                swap(&laterDate, &date)
                return (nil, replaced)
            }
            withExtendedLifetime((replaced, date)) {}
            return generation
        }

        @inlinable
        func startTimer(at date: Time, generation: UInt64) {
            let job = ScheduledJob { [link] _ in Self.timerFired(generation, link) }
            link.store(scheduler.startTimer(at: date, interval: dueTime, options: options, job), generation: generation)
        }

        /// Delivers the value that is held back, or starts the timer again if a newer value is not due yet.
        @inlinable
        static func timerFired(_ generation: UInt64, _ link: Link) {
            while let (date, receiver) = deliverHeld(generation, link) {
                // Compared outside the lock. A timer that fires late may find the newer value due.
                guard date > receiver.scheduler.now else { continue }
                let (next, timer) = link.state.withLock { state in
                    let timer = state.timer.advance()
                    return (state.timer.generation, timer)
                }
                timer?.cancel()
                return receiver.startTimer(at: date, generation: next)
            }
        }

        /// Delivers the value that is held back unless it came after the timer was started.
        ///
        /// - Returns: The time at which the newer value is due.
        @inlinable
        static func deliverHeld(_ generation: UInt64, _ link: Link) -> (date: Time, receiver: Inner)? {
            typealias Step = (later: (Time, Inner)?, held: Link.HeldValue?, timer: (any Cancellable)?, needsJob: Bool)
            let step = link.state.withLock { state -> Step in
                guard state.timer.generation == generation, let receiver = state.held?.receiver else {
                    return (nil, nil, nil, false)
                }
                if let date = receiver.laterDate.take() { return ((date, receiver), nil, nil, false) }
                let (held, needsJob) = link.enqueueHeld(&state)
                return (nil, held, state.timer.advance(), needsJob)
            }
            step.timer?.cancel()
            // The timer runs on the scheduler.
            if step.needsJob { link.queue.run() }
            withExtendedLifetime(step.held) {}
            return step.later
        }

        @inlinable
        func scheduleJob(for entry: Signal<Downstream.Input, Downstream.Failure>) {
            // As in Combine, the options are for the timer alone.
            scheduler.schedule(link.queue.action)
        }
    }
}
