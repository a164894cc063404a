extension Publisher {
    /// Collects values into arrays, one for each period of time, or as soon as there are enough.
    ///
    /// ```
    /// ──1─2───────3─|
    ///   collect(.byTime(queue, .seconds(4)))
    /// ──────[1,2]───[3]|     on the queue
    /// ```
    ///
    /// Periods are counted from the subscription. One without values yields nothing.
    ///
    /// **Demand.** By time, the upstream is asked for all there is; by time or count, for as many values as can be in
    /// the arrays that are wanted, as far as it has not been asked for them yet. What has been collected while no array
    /// is wanted is kept, and delivered at the end of the period in which one is.
    ///
    /// **Completion.** What has been collected is delivered before the end, as demand allows; a failure drops it.
    ///
    /// **Cancellation** passes through at once, on the calling thread; what has been collected is dropped, and the
    /// timer stopped.
    ///
    /// **Threads.** Arrays and the completion are delivered on the scheduler, the subscription on the thread that
    /// subscribes.
    ///
    /// - Parameters:
    ///   - strategy: When an array is complete, and the scheduler to measure time and deliver on.
    ///   - options: Settings for the scheduler.
    @inlinable
    public func collect<S: Scheduler>(
        _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
    ) -> Publishers.CollectByTime<Self, S> {
        Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/collect(_:options:)`` makes.
    public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// When an array is complete.
        public let strategy: TimeGroupingStrategy<Context>

        /// Settings for the scheduler.
        public let options: Context.SchedulerOptions?

        /// Makes the publisher; ``Publisher/collect(_:options:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, strategy: TimeGroupingStrategy<Context>, options: Context.SchedulerOptions?) {
            self.upstream = upstream
            self.strategy = strategy
            self.options = options
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, strategy: strategy, options: options))
        }
    }
}

extension Publishers.CollectByTime: Sendable
where
    Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable,
    Context.SchedulerTimeType.Stride: Sendable
{}

extension Publishers.CollectByTime {
    @usableFromInline
    final class Inner<Downstream: Subscriber>: LinkedSubscriber, PacedRelay
    where Downstream.Input == [Upstream.Output], Downstream.Failure == Upstream.Failure {
        @usableFromInline typealias Waiting = GroupsByTime<Upstream.Output>
        @usableFromInline typealias Entry = Signal<Downstream.Input, Downstream.Failure>

        @usableFromInline let downstream: Downstream
        @usableFromInline let strategy: Publishers.TimeGroupingStrategy<Context>
        @usableFromInline let options: Context.SchedulerOptions?
        @usableFromInline let link: GroupingLink<Inner, Upstream.Output>

        @inlinable
        init(
            downstream: Downstream, strategy: Publishers.TimeGroupingStrategy<Context>,
            options: Context.SchedulerOptions?
        ) {
            self.downstream = downstream
            self.strategy = strategy
            self.options = options
            link = GroupingLink(limit: strategy.limit)
        }

        deinit {
            // The source has gone, with or without a word, and nothing waits: the timer has nothing to do any more.
            link.stopTimer()
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard !link.isActive else { return subscription.cancel() }
            let demand: Subscribers.Demand = strategy.limit == nil ? .unlimited : .none
            link.start(subscription, of: self, demand: demand)
            guard link.isActive else { return }
            let (scheduler, interval) = strategy.clock
            let work = ScheduledWork { [link] in link.periodEnded() }
            let date = scheduler.now.advanced(by: interval)
            link.note(scheduler.schedule(work, after: date, interval: interval, options: options), turn: 0)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            if link.isActive, link.collect(input, for: self) { scheduleJob(at: ()) }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.finish() else { return }
            link.stopTimer()
            if link.complete(completion, for: self) { scheduleJob(at: ()) }
        }

        @inlinable
        func scheduleJob(at date: Void) {
            strategy.clock.scheduler.schedule(ScheduledWork { [link] in link.runJob() }, options: options)
        }
    }
}
