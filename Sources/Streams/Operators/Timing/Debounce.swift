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
    /// value that is held back, as in Combine.
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

        /// Creates the publisher of ``Publisher/debounce(for:scheduler:options:)``.
        @inlinable
        public init(
            upstream: Upstream, dueTime: Context.SchedulerTimeType.Stride, scheduler: Context,
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
    final class Inner<Downstream: Subscriber>: ScheduledReceiver
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        /// Holds the newest value back.
        @usableFromInline typealias Link = TimedLink<Inner, Downstream.Input>

        @usableFromInline let downstream: Downstream
        @usableFromInline let dueTime: Context.SchedulerTimeType.Stride
        @usableFromInline let scheduler: Context
        @usableFromInline let options: Context.SchedulerOptions?
        @usableFromInline let link: Link

        @inlinable
        init(downstream: Downstream, settings: Publishers.Debounce<Upstream, Context>) {
            self.downstream = downstream
            dueTime = settings.dueTime
            scheduler = settings.scheduler
            options = settings.options
            link = Link("Debounce")
        }

        @inlinable
        func receive(subscription: any Subscription) {
            link.start(subscription, for: self)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive, let generation = hold(input) else { return .none }
            let job = ScheduledJob { [link] _ in Self.timerFired(generation, link) }
            let date = scheduler.now.advanced(by: dueTime)
            link.store(scheduler.startTimer(at: date, interval: dueTime, options: options, job), generation: generation)
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            link.end()
            link.queue.add(.completion(completion), isLast: true, for: self)
        }

        /// Replaces the value that is held back, and stops its timer.
        ///
        /// - Returns: The generation of the value's timer. Nil after cancellation.
        @inlinable
        func hold(_ input: Upstream.Output) -> UInt64? {
            let (generation, replaced, timer) = link.state.withLock {
                state -> (UInt64?, (Downstream.Input, Inner)?, (any Cancellable)?) in
                if state.isOver { return (nil, nil, nil) }
                let replaced = exchange(&state.held, with: (input, self))
                let timer = state.timer.advance()
                return (state.timer.generation, replaced, timer)
            }
            timer?.cancel()
            withExtendedLifetime(replaced) {}
            return generation
        }

        @inlinable
        static func timerFired(_ generation: UInt64, _ link: Link) {
            let (held, timer, needsJob) = link.state.withLock {
                state -> ((Downstream.Input, Inner)?, (any Cancellable)?, Bool) in
                guard state.timer.generation == generation, let held = state.held.take() else {
                    return (nil, nil, false)
                }
                let needsJob = state.takeDemand() && link.queue.append(.value(held.value), for: held.receiver)
                return (held, state.timer.advance(), needsJob)
            }
            timer?.cancel()
            // The timer runs on the scheduler.
            if needsJob { link.queue.run() }
            withExtendedLifetime(held) {}
        }

        @inlinable
        func scheduleJob(for entry: Signal<Downstream.Input, Downstream.Failure>) {
            // As in Combine, the options are for the timer alone.
            scheduler.schedule(link.queue.action)
        }
    }
}
