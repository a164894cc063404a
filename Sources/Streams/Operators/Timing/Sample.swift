extension Publisher {
    /// Publishes the newest value at fixed times, if there is a new one.
    ///
    /// ```
    /// ──1─2─3─────────4──|
    ///   sample(every: .seconds(4), scheduler: queue)
    /// ──────2───3───────4|     on the queue
    /// ```
    ///
    /// No value is delivered on its arrival, as ``throttle(for:scheduler:latest:)`` does.
    ///
    /// **Demand.** All values are requested. A value is dropped if there is no demand when its time comes.
    ///
    /// **Completion.** The completion is delivered as soon as the scheduler can, after the value that is held back if
    /// that is wanted. A failure drops the value.
    ///
    /// **Cancellation.** Cancels the upstream and the timer on the calling thread, and drops the value held back.
    ///
    /// **Threads.** The subscription is delivered on the subscribing thread, other signals on the scheduler.
    ///
    /// - Parameters:
    ///   - interval: The time between two deliveries, on the scheduler's clock, counted from the subscription.
    ///   - scheduler: The scheduler that measures the time and delivers.
    ///   - options: The scheduler's options.
    @inlinable
    public func sample<S: Scheduler>(
        every interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Operators.Sample<Self, S> {
        Operators.Sample(upstream: self, interval: interval, scheduler: scheduler, options: options)
    }
}

extension Operators {
    /// A publisher that publishes the newest value of its upstream at fixed times.
    public struct Sample<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The time between two deliveries.
        public let interval: Context.SchedulerTimeType.Stride

        /// The scheduler that measures the time and delivers.
        public let scheduler: Context

        /// The scheduler's options.
        public let options: Context.SchedulerOptions?

        /// Creates the publisher of ``Publisher/sample(every:scheduler:options:)``.
        @inlinable
        public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?
        ) {
            self.upstream = upstream
            self.interval = interval
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

extension Operators.Sample: Sendable
where
    Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable,
    Context.SchedulerTimeType.Stride: Sendable
{}

extension Operators.Sample {
    @usableFromInline
    final class Inner<Downstream: Subscriber>: ScheduledReceiver
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        /// Holds the newest value back.
        @usableFromInline typealias Link = TimedLink<Inner, Downstream.Input>

        @usableFromInline let downstream: Downstream
        @usableFromInline let interval: Context.SchedulerTimeType.Stride
        @usableFromInline let scheduler: Context
        @usableFromInline let options: Context.SchedulerOptions?
        @usableFromInline let link: Link

        @inlinable
        init(downstream: Downstream, settings: Operators.Sample<Upstream, Context>) {
            self.downstream = downstream
            interval = settings.interval
            scheduler = settings.scheduler
            options = settings.options
            link = Link("Sample")
        }

        deinit {
            // The upstream has released this subscriber, and no value is held back: the timer has no more work.
            link.stopTimer()
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard !link.isActive else { return subscription.cancel() }
            link.start(subscription, for: self)
            guard link.isActive else { return }
            let job = ScheduledJob { [link] _ in if link.enqueueHeld() { link.queue.run() } }
            let date = scheduler.now.advanced(by: interval)
            link.store(scheduler.startTimer(at: date, interval: interval, options: options, job), generation: 0)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            let replaced = link.state.withLock { state in
                state.isOver ? nil : exchange(&state.held, with: (input, self))
            }
            withExtendedLifetime(replaced) {}
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            var needsJob = false
            if case .finished = completion { needsJob = link.enqueueHeld() }
            link.end()
            if link.queue.append(.completion(completion), isLast: true, for: self) { needsJob = true }
            if needsJob { scheduleJob(for: .completion(completion)) }
        }

        @inlinable
        func scheduleJob(for entry: Signal<Downstream.Input, Downstream.Failure>) {
            scheduler.schedule(options: options, link.queue.action)
        }
    }
}
