extension Publisher {
    /// Delivers values and the completion later, on a scheduler.
    ///
    /// ```
    /// ──1──2──3──|
    ///   delay(for: .seconds(1), scheduler: queue)
    /// ─────1──2──3──|     on the queue
    /// ```
    ///
    /// Each signal is delivered as long after its arrival as is given, a failure too.
    ///
    /// **Demand** passes through, so no more values wait here than were asked for.
    ///
    /// **Completion.** It comes after the values. The order is kept on a concurrent queue as well (rule 7): one piece
    /// of work at a time is scheduled, which delivers what is due.
    ///
    /// **Cancellation** passes through at once, on the calling thread; what is waiting is dropped, and the subscriber
    /// let go of.
    ///
    /// **Threads.** The subscription is delivered on the thread that subscribes, without delay.
    ///
    /// - Parameters:
    ///   - interval: How much later, on the scheduler's clock.
    ///   - tolerance: How exact the scheduler has to be, the smallest tolerance it honours if nil.
    ///   - scheduler: Where to deliver.
    ///   - options: Settings for the scheduler.
    @inlinable
    public func delay<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride,
        tolerance: S.SchedulerTimeType.Stride? = nil,
        scheduler: S,
        options: S.SchedulerOptions? = nil
    ) -> Publishers.Delay<Self, S> {
        Publishers.Delay(
            upstream: self, interval: interval, tolerance: tolerance ?? scheduler.minimumTolerance,
            scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/delay(for:tolerance:scheduler:options:)`` makes.
    public struct Delay<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// How much later signals are delivered.
        public let interval: Context.SchedulerTimeType.Stride

        /// How exact the scheduler has to be.
        public let tolerance: Context.SchedulerTimeType.Stride

        /// Where signals are delivered.
        public let scheduler: Context

        /// Settings for the scheduler.
        public let options: Context.SchedulerOptions?

        /// Makes the publisher; ``Publisher/delay(for:tolerance:scheduler:options:)`` is the usual way to it.
        @inlinable
        public init(
            upstream: Upstream,
            interval: Context.SchedulerTimeType.Stride,
            tolerance: Context.SchedulerTimeType.Stride,
            scheduler: Context,
            options: Context.SchedulerOptions? = nil
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
    /// A signal, and when it is to be delivered.
    @usableFromInline
    struct DelayedSignal {
        @usableFromInline let signal: Signal<Output, Failure>
        @usableFromInline let date: Context.SchedulerTimeType

        @inlinable
        init(signal: Signal<Output, Failure>, date: Context.SchedulerTimeType) {
            self.signal = signal
            self.date = date
        }
    }

    @usableFromInline
    final class Inner<Downstream: Subscriber>: LinkedSubscriber, ScheduledReceiver
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let interval: Context.SchedulerTimeType.Stride
        @usableFromInline let tolerance: Context.SchedulerTimeType.Stride
        @usableFromInline let scheduler: Context
        @usableFromInline let options: Context.SchedulerOptions?
        @usableFromInline let link: ScheduledQueue<Inner>

        /// When the job that is scheduled or running is due: it belongs to whoever schedules it, and then to the job.
        @exclusivity(unchecked) @usableFromInline var jobDate: Context.SchedulerTimeType?
        /// Up to when the running job delivers.
        @exclusivity(unchecked) @usableFromInline var horizon: Context.SchedulerTimeType?

        @inlinable
        init(downstream: Downstream, settings: Publishers.Delay<Upstream, Context>) {
            self.downstream = downstream
            interval = settings.interval
            tolerance = settings.tolerance
            scheduler = settings.scheduler
            options = settings.options
            link = ScheduledQueue("Delay")
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard link.attach(subscription) else { return }
            link.holdingJobs(of: self) { downstream.receive(subscription: link) }
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
        func add(_ signal: Signal<Output, Failure>, isLast: Bool = false) {
            let date = scheduler.now.advanced(by: interval)
            link.add(DelayedSignal(signal: signal, date: date), isLast: isLast, for: self)
        }

        @inlinable
        static func date(of entry: borrowing DelayedSignal) -> Context.SchedulerTimeType { entry.date }

        @inlinable
        func jobBegins() {
            // A scheduler may be early, within its tolerance.
            let now = scheduler.now
            horizon = jobDate.map { Swift.max($0, now) } ?? now
        }

        @inlinable
        func isDue(_ date: Context.SchedulerTimeType) -> Bool {
            horizon.map { date <= $0 } ?? true
        }

        @inlinable
        func deliver(_ entry: consuming DelayedSignal) {
            entry.signal.deliver(to: downstream, demandGoesTo: link)
        }

        @inlinable
        func scheduleJob(at date: Context.SchedulerTimeType) {
            jobDate = date
            let work = ScheduledWork { [link] in link.runJob() }
            scheduler.schedule(work, after: date, tolerance: tolerance, options: options)
        }
    }
}
