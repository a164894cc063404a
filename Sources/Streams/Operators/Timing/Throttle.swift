extension Publisher {
    /// Delivers one value in an interval at most, the first or the latest of those that came.
    ///
    /// ```
    /// ──1─2─3───────4──────|
    ///   throttle(for: .seconds(3), scheduler: queue, latest: true)
    /// ──1─────3─────4──────|     on the queue; with latest: false it is 1, 2, 4
    /// ```
    ///
    /// The first value is delivered as soon as the scheduler can, and so is one that comes when an interval has passed
    /// since the last delivery. Others wait until then.
    ///
    /// **Demand.** The upstream is asked for all there is. Values that come while none is wanted are dropped.
    ///
    /// **Completion.** It is delivered together with the value that waits, or else as soon as the scheduler can, a
    /// failure too.
    ///
    /// **Cancellation** passes through at once, on the calling thread; what is waiting is dropped.
    ///
    /// **Threads.** Values and the completion are delivered on the scheduler, the subscription on the thread that
    /// subscribes.
    ///
    /// - Parameters:
    ///   - interval: The least time between two deliveries, on the scheduler's clock.
    ///   - scheduler: Where to measure time and deliver.
    ///   - latest: Whether the latest of the values that came while one waited is delivered, and not the first.
    @inlinable
    public func throttle<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
    ) -> Publishers.Throttle<Self, S> {
        Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/throttle(for:scheduler:latest:)`` makes.
    public struct Throttle<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The least time between two deliveries.
        public let interval: Context.SchedulerTimeType.Stride

        /// Where time is measured and signals are delivered.
        public let scheduler: Context

        /// Whether the latest value is delivered, and not the first.
        public let latest: Bool

        /// Makes the publisher; ``Publisher/throttle(for:scheduler:latest:)`` is the usual way to it.
        @inlinable
        public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context, latest: Bool
        ) {
            self.upstream = upstream
            self.interval = interval
            self.scheduler = scheduler
            self.latest = latest
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, settings: self))
        }
    }
}

extension Publishers.Throttle: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable {}

extension Publishers.Throttle {
    @usableFromInline
    final class Inner<Downstream: Subscriber>: LinkedSubscriber, TimedReceiver
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline typealias Entry = Signal<Downstream.Input, Downstream.Failure>
        @usableFromInline typealias Time = Context.SchedulerTimeType

        /// What one delivery will consist of.
        @usableFromInline
        struct Waiting {
            @usableFromInline var value: Downstream.Input?
            @usableFromInline var completion: Subscribers.Completion<Downstream.Failure>?

            @inlinable
            init(value: Downstream.Input? = nil, completion: Subscribers.Completion<Downstream.Failure>? = nil) {
                self.value = value
                self.completion = completion
            }
        }

        @usableFromInline let downstream: Downstream
        @usableFromInline let interval: Time.Stride
        @usableFromInline let scheduler: Context
        @usableFromInline let latest: Bool
        @usableFromInline let link = TimedQueue<Inner>("Throttle")

        /// The earliest time for the next value. Only used under the link's lock.
        @exclusivity(unchecked) @usableFromInline var nextDate: Time

        @inlinable
        init(downstream: Downstream, settings: Publishers.Throttle<Upstream, Context>) {
            self.downstream = downstream
            interval = settings.interval
            scheduler = settings.scheduler
            latest = settings.latest
            nextDate = settings.scheduler.now
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard !link.isActive else { return subscription.cancel() }
            // Asked a second time, as by Combine's: the clock may have been set back since.
            let now = scheduler.now
            link.timerState.withLock { [self] _ in nextDate = now }
            link.start(subscription, of: self)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            let now = scheduler.now
            if let date = holdBack(input) { schedule(at: date, now: now) }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            let now = scheduler.now
            let isAlone = link.timerState.withLock { [self] timerState in
                guard !timerState.isOver else { return false }
                timerState.isOver = true
                guard timerState.waiting == nil else {
                    timerState.waiting?.completion = completion
                    return false
                }
                timerState.waiting = Waiting(completion: completion)
                timerState.relay = self
                return true
            }
            if isAlone { schedule(at: now, now: now) }
        }

        /// Cancels the subscription that has not come yet, too, as Combine's `throttle` does.
        @usableFromInline
        func cancel() {
            link.cancel()
        }

        /// Has a value wait, if it is the first or they want the latest.
        ///
        /// - Returns: When to deliver, if that is not scheduled yet.
        @inlinable
        func holdBack(_ input: Upstream.Output) -> Time? {
            let (date, before) = link.timerState.withLock { [self] timerState -> (Time?, Waiting?) in
                let before = timerState.waiting
                if timerState.isOver { return (nil, before) }
                if before != nil {
                    if latest { timerState.waiting?.value = input }
                    return (nil, before)
                }
                // The demand is taken for whichever value will be delivered.
                guard timerState.takeDemand() else { return (nil, before) }
                timerState.waiting = Waiting(value: input)
                timerState.relay = self
                return (nextDate, before)
            }
            withExtendedLifetime(before) {}
            return date
        }

        @inlinable
        func schedule(at date: Time, now: Time) {
            let work = ScheduledWork { [link] in Self.timeHasCome(link) }
            if date <= now {
                scheduler.schedule(work, options: nil)
            } else {
                scheduler.schedule(work, after: date, tolerance: scheduler.minimumTolerance, options: nil)
            }
        }

        @inlinable
        static func timeHasCome(_ link: TimedQueue<Inner>) {
            let relay = link.timerState.withLock { $0.relay }
            guard let relay else { return }
            let nextDate = link.isActive ? relay.scheduler.now.advanced(by: relay.interval) : nil
            let (before, needsJob) = link.timerState.withLock { timerState -> (Waiting?, Bool) in
                guard let waiting = timerState.waiting else { return (nil, false) }
                if let nextDate { relay.nextDate = nextDate }
                timerState.waiting = nil
                timerState.relay = nil
                var needsJob = false
                if let value = waiting.value {
                    needsJob = link.append(.value(value), isLast: false, for: relay)
                }
                if let completion = waiting.completion {
                    needsJob = link.append(.completion(completion), isLast: true, for: relay) || needsJob
                }
                return (waiting, needsJob)
            }
            withExtendedLifetime(before) {}
            // This is the scheduler already.
            if needsJob { link.runJob() }
        }

        @inlinable
        func scheduleJob(at date: Void) {
            scheduler.schedule(ScheduledWork { [link] in link.runJob() }, options: nil)
        }
    }
}
