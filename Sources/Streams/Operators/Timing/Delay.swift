extension Publisher {
    /// Delivers values and the completion later, on a scheduler.
    ///
    /// ```
    /// ──1──2──3──|
    ///   delay(for: .seconds(1), scheduler: queue)
    /// ─────1──2──3──|     on the queue
    /// ```
    ///
    /// Each signal is delivered an interval after its arrival. A concurrent queue keeps the order too (rule 7).
    ///
    /// **Demand.** Requests pass through, so no more values wait than were requested. Those that the subscriber makes while
    /// it receives its subscription are passed on after that.
    ///
    /// **Completion.** The completion is delayed too, also if it is a failure, and follows the values.
    ///
    /// **Cancellation.** The upstream is cancelled at once, on the calling thread. The waiting signals are dropped and
    /// the subscriber is released.
    ///
    /// **Threads.** The subscription is delivered on the subscribing thread, without delay.
    ///
    /// - Parameters:
    ///   - interval: The delay, on the scheduler's clock.
    ///   - tolerance: The tolerance of the scheduler, by default the smallest that it has.
    ///   - scheduler: The scheduler that delivers.
    ///   - options: The scheduler's options.
    @inlinable
    public func delay<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
        options: S.SchedulerOptions? = nil
    ) -> Publishers.Delay<Self, S> {
        Publishers.Delay(
            upstream: self, interval: interval, tolerance: tolerance ?? scheduler.minimumTolerance,
            scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// A publisher that delivers the signals of its upstream later.
    public struct Delay<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The delay.
        public let interval: Context.SchedulerTimeType.Stride

        /// The tolerance of the scheduler.
        public let tolerance: Context.SchedulerTimeType.Stride

        /// The scheduler that delivers.
        public let scheduler: Context

        /// The scheduler's options.
        public let options: Context.SchedulerOptions?

        /// Creates the publisher of ``Publisher/delay(for:tolerance:scheduler:options:)``.
        @inlinable
        public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride, tolerance: Context.SchedulerTimeType.Stride,
            scheduler: Context, options: Context.SchedulerOptions? = nil
        ) {
            self.upstream = upstream
            self.interval = interval
            self.tolerance = tolerance
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

extension Publishers.Delay: Sendable
where
    Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable,
    Context.SchedulerTimeType.Stride: Sendable
{}

extension Publishers.Delay {
    @usableFromInline
    final class Inner<Downstream: Subscriber>: ScheduledReceiver
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline typealias Entry = (
            signal: Signal<Downstream.Input, Downstream.Failure>, date: Context.SchedulerTimeType
        )

        @usableFromInline let downstream: Downstream
        @usableFromInline let interval: Context.SchedulerTimeType.Stride
        @usableFromInline let tolerance: Context.SchedulerTimeType.Stride
        @usableFromInline let scheduler: Context
        @usableFromInline let options: Context.SchedulerOptions?
        @usableFromInline let link: ScheduledLink<Inner>

        /// The time for which the job is scheduled. Belongs to the thread that schedules the job, then to the job.
        @exclusivity(unchecked) @usableFromInline var jobDate: Context.SchedulerTimeType?

        @inlinable
        init(downstream: Downstream, settings: Publishers.Delay<Upstream, Context>) {
            self.downstream = downstream
            interval = settings.interval
            tolerance = settings.tolerance
            scheduler = settings.scheduler
            options = settings.options
            link = ScheduledLink("Delay")
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard link.attach(subscription) else { return }
            link.queue.deferringJobs(for: self) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            if link.isActive { add(.value(input)) }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.complete() { add(.completion(completion), isLast: true) }
        }

        @inlinable
        func add(_ signal: Signal<Downstream.Input, Downstream.Failure>, isLast: Bool = false) {
            link.queue.add((signal, scheduler.now.advanced(by: interval)), isLast: isLast, for: self)
        }

        @inlinable
        func isDue(_ entry: Entry) -> Bool {
            // A scheduler may run the job early, within its tolerance.
            if let jobDate, entry.date <= jobDate { return true }
            return entry.date <= scheduler.now
        }

        @inlinable
        func deliver(_ entry: Entry) {
            deliverSignal(entry.signal)
        }

        @inlinable
        func scheduleJob(for entry: Entry) {
            jobDate = entry.date
            scheduler.schedule(after: entry.date, tolerance: tolerance, options: options, link.queue.action)
        }
    }
}
