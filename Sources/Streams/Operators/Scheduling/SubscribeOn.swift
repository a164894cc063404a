extension Publisher {
    /// Subscribes, requests values and cancels on a scheduler.
    ///
    /// ```
    ///   subscribe, request, cancel       on any thread
    ///   subscribe(on: queue)
    ///   subscribe, request, cancel       on the queue
    /// ```
    ///
    /// **Demand.** Each request is passed on by a job of its own on the scheduler.
    ///
    /// **Completion.** The completion passes through.
    ///
    /// **Cancellation.** Nothing is delivered after cancellation. The upstream is cancelled on the scheduler: by a job, or
    /// before the next value of a publisher that emits while it is called there, as it may leave no turn to a job.
    ///
    /// **Threads.** The subscription is delivered on the scheduler. Values and the completion are delivered on the
    /// thread that sends them, which is the scheduler's if the publisher sends values when they are requested.
    ///
    /// - Parameters:
    ///   - scheduler: The scheduler that subscribes, requests and cancels.
    ///   - options: The scheduler's options.
    @inlinable
    public func subscribe<S: Scheduler>(
        on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.SubscribeOn<Self, S> {
        Publishers.SubscribeOn(upstream: self, scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// A publisher that calls its upstream on a scheduler.
    public struct SubscribeOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The scheduler that subscribes, requests and cancels.
        public let scheduler: Context

        /// The scheduler's options.
        public let options: Context.SchedulerOptions?

        /// Creates the publisher of ``Publisher/subscribe(on:options:)``.
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
            // Until the job has run, no other thread uses the subscriber or this copy of the publisher.
            let job = ScheduledJob { [upstream] _ in inner.link.call { upstream.subscribe(inner) } }
            scheduler.schedule(options: options, job.action)
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
        @usableFromInline let link: SubscribeOnLink<Context>

        @inlinable
        init(downstream: Downstream, scheduler: Context, options: Context.SchedulerOptions?) {
            self.downstream = downstream
            link = SubscribeOnLink(scheduler: scheduler, options: options)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else {
                link.cancelIfCalling()
                return .none
            }
            return downstream.receive(input)
        }
    }
}

/// The subscription of ``Publisher/subscribe(on:options:)``, which calls the upstream on a scheduler.
@usableFromInline
final class SubscribeOnLink<Context: Scheduler>: UpstreamLink {
    private struct State {
        /// The thread on which the upstream is being called.
        var thread: ThreadIdentity?
        /// The upstream to be cancelled.
        var cancelled: (any Subscription)?
    }

    @usableFromInline let scheduler: Context
    @usableFromInline let options: Context.SchedulerOptions?
    private let state = Locked(State())

    @usableFromInline
    init(scheduler: Context, options: Context.SchedulerOptions?) {
        self.scheduler = scheduler
        self.options = options
        super.init("SubscribeOn")
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        guard demand > .none, let upstream else { return }
        schedule { upstream.request(demand) }
    }

    @usableFromInline
    override func cancel() {
        guard let upstream = detach() else { return }
        state.withLock { $0.cancelled = upstream }
        schedule { self.state.withLock { $0.cancelled.take() }?.cancel() }
    }

    private func schedule(_ body: @escaping () -> Void) {
        scheduler.schedule(options: options, ScheduledJob { [self] _ in call(body) }.action)
    }

    /// Calls the upstream, from a job of the scheduler.
    @usableFromInline
    func call(_ body: () -> Void) {
        state.withLock { $0.thread = .current }
        body()
        state.withLock { $0.thread = nil }
    }

    /// Cancels the upstream if it is cancelled and is being called on this thread. The job that would do it may wait until
    /// the upstream has no more values.
    @usableFromInline
    func cancelIfCalling() {
        let upstream = state.withLock { $0.thread == .current ? $0.cancelled.take() : nil }
        upstream?.cancel()
    }
}
