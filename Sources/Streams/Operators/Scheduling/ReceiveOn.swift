extension Publisher {
    /// Delivers values and the completion on a scheduler.
    ///
    /// ```
    /// ──1──2──3──|        on any thread
    ///   receive(on: queue)
    /// ───1──2──3──|       on the queue
    /// ```
    ///
    /// A concurrent queue keeps the order too (rule 7): at most one job is scheduled, which delivers the signals that
    /// have come. After 512 signals it lets other work run.
    ///
    /// **Demand.** Requests pass through, so no more values are queued than were requested. Those that the subscriber makes
    /// while it receives its subscription are passed on after that.
    ///
    /// **Completion.** The completion follows the queued values, also if it is a failure.
    ///
    /// **Cancellation.** The upstream is cancelled at once, on the calling thread, and the queued signals are dropped.
    ///
    /// **Threads.** The subscription is delivered on the subscribing thread, and signals only after that has returned.
    ///
    /// - Parameters:
    ///   - scheduler: The scheduler that delivers.
    ///   - options: The scheduler's options.
    @inlinable
    public func receive<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil)
        -> Publishers.ReceiveOn<Self, S>
    {
        Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// A publisher that delivers the signals of its upstream on a scheduler.
    public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The scheduler that delivers.
        public let scheduler: Context

        /// The scheduler's options.
        public let options: Context.SchedulerOptions?

        /// Creates the publisher of ``Publisher/receive(on:options:)``.
        @inlinable
        public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
            self.upstream = upstream
            self.scheduler = scheduler
            self.options = options
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, scheduler: scheduler, options: options))
        }
    }
}

extension Publishers.ReceiveOn: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}

extension Publishers.ReceiveOn {
    @usableFromInline
    final class Inner<Downstream: Subscriber>: ScheduledReceiver
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let scheduler: Context
        @usableFromInline let options: Context.SchedulerOptions?
        @usableFromInline let link: ScheduledLink<Inner>

        @inlinable
        init(downstream: Downstream, scheduler: Context, options: Context.SchedulerOptions?) {
            self.downstream = downstream
            self.scheduler = scheduler
            self.options = options
            link = ScheduledLink("ReceiveOn")
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard link.attach(subscription) else { return }
            link.queue.deferringJobs(for: self) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            if link.isActive { link.queue.add(.value(input), for: self) }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.complete() { link.queue.add(.completion(completion), isLast: true, for: self) }
        }

        @inlinable
        func scheduleJob(for entry: Signal<Downstream.Input, Downstream.Failure>) {
            scheduler.schedule(options: options, link.queue.action)
        }
    }
}
