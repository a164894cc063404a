extension Publisher {
    /// Subscribes, asks for values and cancels on a scheduler.
    ///
    /// ```
    ///   subscribe, request, cancel       on any thread
    ///   subscribe(on: queue)
    ///   subscribe, request, cancel       on the queue
    /// ```
    ///
    /// Values and the completion pass through on the thread they come on, which is the scheduler's if the publisher
    /// emits right when it is asked.
    ///
    /// **Demand** passes through, each request in its turn on the scheduler.
    ///
    /// **Cancellation.** From `cancel()` on nothing is delivered; the upstream learns of it on the scheduler.
    ///
    /// **Threads.** The subscription is delivered on the scheduler.
    ///
    /// - Parameters:
    ///   - scheduler: Where to subscribe.
    ///   - options: Settings for the scheduler.
    @inlinable
    public func subscribe<S: Scheduler>(
        on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.SubscribeOn<Self, S> {
        Publishers.SubscribeOn(upstream: self, scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/subscribe(on:options:)`` makes.
    public struct SubscribeOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Where the upstream is subscribed to, asked and cancelled.
        public let scheduler: Context

        /// Settings for the scheduler.
        public let options: Context.SchedulerOptions?

        /// Makes the publisher; ``Publisher/subscribe(on:options:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
            self.upstream = upstream
            self.scheduler = scheduler
            self.options = options
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let inner = Inner(downstream: subscriber, scheduler: scheduler, options: options)
            // Nobody else uses the subscriber, or this copy of the publisher, before the work is done.
            scheduler.schedule(ScheduledWork { [upstream] in upstream.subscribe(inner) }, options: options)
        }
    }
}

extension Publishers.SubscribeOn: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}

extension Publishers.SubscribeOn {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let link: SubscribeOnSubscription<Context>

        @inlinable
        init(downstream: Downstream, scheduler: Context, options: Context.SchedulerOptions?) {
            self.downstream = downstream
            link = SubscribeOnSubscription(scheduler: scheduler, options: options)
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            link.isActive ? downstream.receive(input) : .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.complete() { downstream.receive(completion: completion) }
        }
    }
}

/// A link that asks and cancels the upstream on a scheduler.
@usableFromInline
final class SubscribeOnSubscription<Context: Scheduler>: UpstreamLink {
    @usableFromInline let scheduler: Context
    @usableFromInline let options: Context.SchedulerOptions?

    @inlinable
    init(scheduler: Context, options: Context.SchedulerOptions?) {
        self.scheduler = scheduler
        self.options = options
        super.init()
    }

    @usableFromInline override var description: String { "SubscribeOn" }

    @inlinable
    override func request(_ demand: Subscribers.Demand) {
        guard let upstream else { return }
        scheduler.schedule(ScheduledWork { upstream.request(demand) }, options: options)
    }

    @inlinable
    override func cancel() {
        guard let upstream = detach() else { return }
        scheduler.schedule(ScheduledWork { upstream.cancel() }, options: options)
    }

    @inlinable
    override func keepUnrequestedValues() {
        guard let upstream, !dropsUnrequestedValues else { return super.keepUnrequestedValues() }
        scheduler.schedule(ScheduledWork { Streams.keepUnrequestedValues(upstream) }, options: options)
    }
}
