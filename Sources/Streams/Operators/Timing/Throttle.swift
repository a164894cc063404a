extension Publisher {
    /// Publishes at most one value in an interval, the first or the latest of those that have come.
    ///
    /// ```
    /// ──1─2─3───────4──────|
    ///   throttle(for: .seconds(3), scheduler: queue, latest: true)
    /// ──1─────3─────4──────|     on the queue; with latest: false it is 1, 2, 4
    /// ```
    ///
    /// A value is delivered as soon as the scheduler can if none was delivered within the last interval. Otherwise it
    /// is held back until the interval has passed.
    ///
    /// **Demand.** All values are requested. Values that come without demand are dropped.
    ///
    /// **Completion.** The completion is delivered with the value that is held back, or else as soon as the scheduler
    /// can, also if it is a failure.
    ///
    /// **Cancellation.** Cancels the upstream on the calling thread, and drops the value that is held back.
    ///
    /// **Threads.** The subscription is delivered on the subscribing thread, other signals on the scheduler.
    ///
    /// - Parameters:
    ///   - interval: The shortest time between two values, on the scheduler's clock.
    ///   - scheduler: The scheduler that measures the time and delivers.
    ///   - latest: Whether to publish the latest of the values that have come, not the first.
    @inlinable
    public func throttle<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
    ) -> Publishers.Throttle<Self, S> {
        Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
    }
}

extension Publishers {
    /// A publisher that publishes at most one value in an interval.
    public struct Throttle<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The shortest time between two values.
        public let interval: Context.SchedulerTimeType.Stride

        /// The scheduler that measures the time and delivers.
        public let scheduler: Context

        /// Whether to publish the latest of the values that have come, not the first.
        public let latest: Bool

        /// Creates the publisher of ``Publisher/throttle(for:scheduler:latest:)``.
        @inlinable
        public init(upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context, latest: Bool) {
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
    final class Inner<Downstream: Subscriber>: ScheduledReceiver
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline typealias Time = Context.SchedulerTimeType
        /// Holds back what will be delivered together: a value, a completion or both.
        @usableFromInline typealias Link = TimedLink<Inner, Held>
        @usableFromInline typealias Held = (
            value: Downstream.Input?, completion: Subscribers.Completion<Downstream.Failure>?
        )

        @usableFromInline let downstream: Downstream
        @usableFromInline let interval: Time.Stride
        @usableFromInline let scheduler: Context
        @usableFromInline let latest: Bool
        @usableFromInline let link: Link

        /// The earliest time for the next value; nil before the first. Guarded by the lock of the link's state.
        @exclusivity(unchecked) @usableFromInline var nextDate: Time?

        @inlinable
        init(downstream: Downstream, settings: Publishers.Throttle<Upstream, Context>) {
            self.downstream = downstream
            interval = settings.interval
            scheduler = settings.scheduler
            latest = settings.latest
            link = Link("Throttle")
        }

        @inlinable
        func receive(subscription: any Subscription) {
            link.start(subscription, for: self)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            let now = scheduler.now
            if let date = hold(input, now: now) { startTimer(at: date, now: now) }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            let now = scheduler.now
            let needsTimer = link.state.withLock { state in
                if state.isOver { return false }
                state.isOver = true
                if state.held != nil {
                    state.held?.value.completion = completion
                    return false
                }
                state.held = ((nil, completion), self)
                return true
            }
            if needsTimer { startTimer(at: now, now: now) }
        }

        /// Holds a value back if it is the first since the last delivery, or if the latest is to be delivered.
        ///
        /// - Returns: The time for delivery, if no timer has been started for it.
        @inlinable
        func hold(_ input: Upstream.Output, now: Time) -> Time? {
            let (date, replaced) = link.state.withLock { state -> (Time?, Downstream.Input?) in
                if state.isOver { return (nil, nil) }
                if state.held != nil {
                    guard latest else { return (nil, nil) }
                    let replaced = state.held?.value.value
                    state.held?.value.value = input
                    return (nil, replaced)
                }
                // The demand is used by the value that will be delivered, whichever that is.
                guard state.takeDemand() else { return (nil, nil) }
                state.held = ((input, nil), self)
                return (nextDate ?? now, nil)
            }
            withExtendedLifetime(replaced) {}
            return date
        }

        @inlinable
        func startTimer(at date: Time, now: Time) {
            let job = ScheduledJob { [link] _ in Self.timerFired(link) }
            if date <= now {
                scheduler.schedule(job.action)
            } else {
                scheduler.schedule(after: date, job.action)
            }
        }

        @inlinable
        static func timerFired(_ link: Link) {
            guard let receiver = link.state.withLock({ $0.held?.receiver }) else { return }
            var nextDate = link.isActive ? receiver.scheduler.now.advanced(by: receiver.interval) : nil
            let (held, needsJob) = link.state.withLock { state -> (Held?, Bool) in
                guard let held = state.held.take()?.value else { return (nil, false) }
                // Swapped, so that the previous date is released outside the lock.
                if nextDate != nil { swap(&receiver.nextDate, &nextDate) }
                var needsJob = false
                if let value = held.value { needsJob = link.queue.append(.value(value), for: receiver) }
                if let completion = held.completion {
                    let isFirst = link.queue.append(.completion(completion), isLast: true, for: receiver)
                    needsJob = needsJob || isFirst
                }
                return (held, needsJob)
            }
            // The timer runs on the scheduler.
            if needsJob { link.queue.run() }
            withExtendedLifetime((held, nextDate)) {}
        }

        @inlinable
        func scheduleJob(for entry: Signal<Downstream.Input, Downstream.Failure>) {
            scheduler.schedule(link.queue.action)
        }
    }
}
