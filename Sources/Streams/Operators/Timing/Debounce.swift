extension Publisher {
    /// Delivers a value once no other has followed it for some time.
    ///
    /// ```
    /// ──1─2─3───────4──────|
    ///   debounce(for: .seconds(2), scheduler: queue)
    /// ───────────3───────4─|     on the queue, two seconds after 3 and 4
    /// ```
    ///
    /// **Demand.** The upstream is asked for all there is. A value whose time comes while none is wanted is dropped.
    ///
    /// **Completion.** It is delivered as soon as the scheduler can, a failure too; a value that waits then is dropped,
    /// as in Combine.
    ///
    /// **Cancellation** passes through at once, on the calling thread; what is waiting is dropped, and the timer
    /// stopped.
    ///
    /// **Threads.** Values and the completion are delivered on the scheduler, the subscription on the thread that
    /// subscribes.
    ///
    /// - Parameters:
    ///   - dueTime: For how long nothing may follow, on the scheduler's clock.
    ///   - scheduler: Where to measure time and deliver.
    ///   - options: Settings for the scheduler, for the wait.
    @inlinable
    public func debounce<S: Scheduler>(
        for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.Debounce<Self, S> {
        Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/debounce(for:scheduler:options:)`` makes.
    public struct Debounce<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// For how long nothing may follow a value.
        public let dueTime: Context.SchedulerTimeType.Stride

        /// Where time is measured and signals are delivered.
        public let scheduler: Context

        /// Settings for the scheduler, for the wait.
        public let options: Context.SchedulerOptions?

        /// Makes the publisher; ``Publisher/debounce(for:scheduler:options:)`` is the usual way to it.
        @inlinable
        public init(
            upstream: Upstream,
            dueTime: Context.SchedulerTimeType.Stride,
            scheduler: Context,
            options: Context.SchedulerOptions?
        ) {
            self.upstream = upstream
            self.dueTime = dueTime
            self.scheduler = scheduler
            self.options = options
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
    @usableFromInline
    final class Inner<Downstream: Subscriber>: LinkedSubscriber, TimedReceiver
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline typealias Waiting = Downstream.Input
        @usableFromInline typealias Entry = Signal<Downstream.Input, Downstream.Failure>

        @usableFromInline let downstream: Downstream
        @usableFromInline let dueTime: Context.SchedulerTimeType.Stride
        @usableFromInline let scheduler: Context
        @usableFromInline let options: Context.SchedulerOptions?
        @usableFromInline let link: TimedQueue<Inner>

        @inlinable
        init(downstream: Downstream, settings: Publishers.Debounce<Upstream, Context>) {
            self.downstream = downstream
            dueTime = settings.dueTime
            scheduler = settings.scheduler
            options = settings.options
            link = TimedQueue("Debounce")
        }

        @inlinable
        func receive(subscription: any Subscription) {
            link.start(subscription, of: self)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive, let turn = holdBack(input) else { return .none }
            let date = scheduler.now.advanced(by: dueTime)
            let work = ScheduledWork { [link] in Self.timerFired(turn, link) }
            link.note(scheduler.schedule(work, after: date, interval: dueTime, options: options), turn: turn)
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            link.endWait()
            link.add(.completion(completion), isLast: true, for: self)
        }

        /// Has a value wait in the place of the one before it, whose timer is stopped.
        @inlinable
        func holdBack(_ input: Upstream.Output) -> UInt64? {
            let (turn, before) = link.timerState.withLock {
                [self] timerState -> (UInt64?, TimedQueue<Inner>.TimerState) in
                let before = timerState
                guard !timerState.isOver else { return (nil, before) }
                timerState.waiting = input
                timerState.relay = self
                timerState.timer = nil
                timerState.turn &+= 1
                return (timerState.turn, before)
            }
            before.timer?.cancel()
            return turn
        }

        @inlinable
        static func timerFired(_ turn: UInt64, _ link: TimedQueue<Inner>) {
            let (before, needsJob) = link.timerState.withLock { timerState -> (TimedQueue<Inner>.TimerState?, Bool) in
                guard timerState.turn == turn, let value = timerState.waiting, let relay = timerState.relay else {
                    return (nil, false)
                }
                let before = timerState
                timerState.waiting = nil
                timerState.relay = nil
                timerState.timer = nil
                // A timer that has not been noted yet is not needed any more.
                timerState.turn &+= 1
                return (before, timerState.takeDemand() && link.append(.value(value), isLast: false, for: relay))
            }
            before?.timer?.cancel()
            // This is the scheduler already.
            if needsJob { link.runJob() }
        }

        @inlinable
        func scheduleJob(at date: Void) {
            // Combine gives its options to the wait alone.
            scheduler.schedule(ScheduledWork { [link] in link.runJob() }, options: nil)
        }
    }
}
