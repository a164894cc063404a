extension Publisher {
    /// Delivers the newest value at fixed times, if there is a new one.
    ///
    /// ```
    /// ──1─2─3─────────4──|
    ///   sample(every: .seconds(4), scheduler: queue)
    /// ──────2───3───────4|     on the queue
    /// ```
    ///
    /// Unlike ``throttle(for:scheduler:latest:)``, no value is delivered on its arrival.
    ///
    /// **Demand.** The upstream is asked for all there is. A value whose time comes while none is wanted is dropped.
    ///
    /// **Completion.** It is delivered as soon as the scheduler can; before the end, the value that waits is, if it is
    /// wanted. A failure drops it.
    ///
    /// **Cancellation** passes through at once, on the calling thread; what is waiting is dropped, and the timer
    /// stopped.
    ///
    /// **Threads.** Values and the completion are delivered on the scheduler, the subscription on the thread that
    /// subscribes.
    ///
    /// - Parameters:
    ///   - interval: The time from one delivery to the next, on the scheduler's clock, counted from the subscription.
    ///   - scheduler: Where to measure time and deliver.
    ///   - options: Settings for the scheduler.
    @inlinable
    public func sample<S: Scheduler>(
        every interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Operators.Sample<Self, S> {
        Operators.Sample(upstream: self, interval: interval, scheduler: scheduler, options: options)
    }
}

extension Operators {
    /// The publisher that ``Publisher/sample(every:scheduler:options:)`` makes.
    public struct Sample<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The time from one delivery to the next.
        public let interval: Context.SchedulerTimeType.Stride

        /// Where time is measured and signals are delivered.
        public let scheduler: Context

        /// Settings for the scheduler.
        public let options: Context.SchedulerOptions?

        /// Makes the publisher; ``Publisher/sample(every:scheduler:options:)`` is the usual way to it.
        @inlinable
        public init(
            upstream: Upstream,
            interval: Context.SchedulerTimeType.Stride,
            scheduler: Context,
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
    final class Inner<Downstream: Subscriber>: LinkedSubscriber, TimedReceiver
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline typealias Waiting = Downstream.Input
        @usableFromInline typealias Entry = Signal<Downstream.Input, Downstream.Failure>

        @usableFromInline let downstream: Downstream
        @usableFromInline let interval: Context.SchedulerTimeType.Stride
        @usableFromInline let scheduler: Context
        @usableFromInline let options: Context.SchedulerOptions?
        @usableFromInline let link = TimedQueue<Inner>("Sample")

        @inlinable
        init(downstream: Downstream, settings: Operators.Sample<Upstream, Context>) {
            self.downstream = downstream
            interval = settings.interval
            scheduler = settings.scheduler
            options = settings.options
        }

        deinit {
            // The source has gone, with or without a word, and nothing waits: the timer has nothing to do any more.
            link.stopTimer()
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard !link.isActive else { return subscription.cancel() }
            link.start(subscription, of: self)
            guard link.isActive else { return }
            let work = ScheduledWork { [link] in if Self.deliverWaiting(link) { link.runJob() } }
            let date = scheduler.now.advanced(by: interval)
            link.note(scheduler.schedule(work, after: date, interval: interval, options: options), turn: 0)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            let before = link.timerState.withLock { [self] timerState in
                let before = timerState.waiting
                guard !timerState.isOver else { return before }
                timerState.waiting = input
                timerState.relay = self
                return before
            }
            withExtendedLifetime(before) {}
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            var needsJob = false
            if case .finished = completion { needsJob = Self.deliverWaiting(link) }
            link.endWait()
            if link.append(.completion(completion), isLast: true, for: self) || needsJob { scheduleJob(at: ()) }
        }

        /// Has the value that waits delivered if there is demand for it.
        ///
        /// - Returns: Whether the caller is to see to it that a job runs.
        @inlinable
        static func deliverWaiting(_ link: TimedQueue<Inner>) -> Bool {
            let (before, needsJob) = link.timerState.withLock { timerState -> (TimedQueue<Inner>.TimerState?, Bool) in
                guard let value = timerState.waiting, let relay = timerState.relay else { return (nil, false) }
                let before = timerState
                timerState.waiting = nil
                timerState.relay = nil
                return (before, timerState.takeDemand() && link.append(.value(value), isLast: false, for: relay))
            }
            withExtendedLifetime(before) {}
            return needsJob
        }

        @inlinable
        func scheduleJob(at date: Void) {
            scheduler.schedule(ScheduledWork { [link] in link.runJob() }, options: options)
        }
    }
}

extension Publisher {
    /// Publishes the latest value of this publisher whenever another one publishes a value.
    ///
    /// ```
    /// ──1─2────3───────4──|
    ///   sample(─────t─────t─────t──)
    /// ──────2─────3──────4|
    /// ```
    ///
    /// A value is published once: a trigger without a new value publishes nothing.
    ///
    /// **Demand.** All values of this publisher are requested at once. A request goes to the trigger. A value of the
    /// trigger that publishes nothing is replaced by requesting another one.
    ///
    /// **Completion.** The stream finishes when either publisher has finished. If that is this one, its latest value is
    /// delivered first, when it is requested. The stream fails as soon as one of them fails.
    ///
    /// **Cancellation.** Cancels both publishers.
    ///
    /// **Threads.** Values are delivered on the thread that delivers the trigger's value.
    ///
    /// - Parameter trigger: The publisher whose values set the time. The values themselves are ignored.
    @inlinable
    public func sample<P: Publisher>(_ trigger: P) -> Operators.SampleByTrigger<Self, P> where P.Failure == Failure {
        Operators.SampleByTrigger(upstream: self, trigger: trigger)
    }

    /// Publishes the latest value whenever another publisher, which cannot fail, publishes a value.
    ///
    /// Like the form with one type of failure.
    @inlinable
    public func sample<P: Publisher>(
        _ trigger: P
    ) -> Operators.SampleByTrigger<Self, Publishers.SetFailureType<P, Failure>> where P.Failure == Never {
        sample(trigger.setFailureType(to: Failure.self))
    }
}

extension Publisher where Failure == Never {
    /// Publishes the latest value whenever another publisher publishes a value. Neither can fail.
    ///
    /// Like the form with one type of failure.
    @inlinable
    public func sample<P: Publisher>(_ trigger: P) -> Operators.SampleByTrigger<Self, P> where P.Failure == Never {
        Operators.SampleByTrigger(upstream: self, trigger: trigger)
    }
}

extension Operators {
    /// A publisher that publishes the latest value of a publisher whenever another one publishes a value.
    public struct SampleByTrigger<Upstream: Publisher, Trigger: Publisher>: Publisher
    where Upstream.Failure == Trigger.Failure {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The publisher whose values set the time.
        public let trigger: Trigger

        /// Creates a publisher that subscribes to the upstream and then to the trigger.
        @inlinable
        public init(upstream: Upstream, trigger: Trigger) {
            self.upstream = upstream
            self.trigger = trigger
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let latest = CombiningInput<Upstream.Output>(.sampledOnce)
            let times = CombiningInput<Trigger.Output>(.trigger)
            let coordinator = CombiningCoordinator(
                "Sample", [times.link], sampled: [latest.link], replacesUnrequested: true, downstream: subscriber
            ) { state in
                // At the end a value is delivered without a trigger.
                _ = times.take(&state)
                return latest.take(&state)
            }
            coordinator.subscribe(latest, to: upstream)
            coordinator.subscribe(times, to: trigger)
        }
    }
}

extension Operators.SampleByTrigger: Equatable where Upstream: Equatable, Trigger: Equatable {}
extension Operators.SampleByTrigger: Sendable where Upstream: Sendable, Trigger: Sendable {}
