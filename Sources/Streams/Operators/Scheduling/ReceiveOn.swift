extension Publisher {
    /// Delivers values and the completion on a scheduler.
    ///
    /// ```
    /// ──1──2──3──|        on any thread
    ///   receive(on: queue)
    /// ───1──2──3──|       on the queue
    /// ```
    ///
    /// **Demand** passes through, so no more values wait here than were asked for.
    ///
    /// **Completion.** It comes after the values, a failure too. The order is kept on a concurrent queue as well (rule
    /// 7): one piece of work at a time is scheduled, which delivers what has come in; after 512 signals it lets others
    /// have their turn.
    ///
    /// **Cancellation** passes through at once, on the calling thread; what is waiting is dropped.
    ///
    /// **Threads.** The subscription is delivered on the thread that subscribes, and nothing else before that has
    /// returned.
    ///
    /// - Parameters:
    ///   - scheduler: Where to deliver.
    ///   - options: Settings for the scheduler.
    @inlinable
    public func receive<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil)
        -> Publishers.ReceiveOn<Self, S>
    {
        Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/receive(on:options:)`` makes.
    public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Where signals are delivered.
        public let scheduler: Context

        /// Settings for the scheduler.
        public let options: Context.SchedulerOptions?

        /// Makes the publisher; ``Publisher/receive(on:options:)`` is the usual way to it.
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
    final class Inner<Downstream: Subscriber>: LinkedSubscriber, ScheduledReceiver
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline typealias Entry = Signal<Downstream.Input, Downstream.Failure>

        @usableFromInline let downstream: Downstream
        @usableFromInline let scheduler: Context
        @usableFromInline let options: Context.SchedulerOptions?
        @usableFromInline let link: ScheduledQueue<Inner>

        @inlinable
        init(downstream: Downstream, scheduler: Context, options: Context.SchedulerOptions?) {
            self.downstream = downstream
            self.scheduler = scheduler
            self.options = options
            link = ScheduledQueue("ReceiveOn")
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard link.attach(subscription) else { return }
            link.holdingJobs(of: self) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            if link.isActive { link.add(.value(input), for: self) }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.complete() { link.add(.completion(completion), isLast: true, for: self) }
        }

        @inlinable
        func deliver(_ entry: consuming Entry) {
            entry.deliver(to: downstream, demandGoesTo: link)
        }

        @inlinable
        func scheduleJob(at date: Void) {
            scheduler.schedule(ScheduledWork { [link] in link.runJob() }, options: options)
        }
    }
}
