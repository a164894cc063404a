extension Publisher {
    /// Publishes the time that has passed between values.
    ///
    /// ```
    /// ──1─────2──3─|
    ///   measureInterval(using: queue)
    /// ──2─────6──3─|
    /// ```
    ///
    /// The first interval begins with the subscription. An interval is negative if the scheduler's clock was set back.
    ///
    /// **Demand.** Requests pass through.
    ///
    /// **Completion.** The completion passes through.
    ///
    /// **Cancellation.** The upstream is cancelled at once.
    ///
    /// **Threads.** Intervals are delivered on the thread that sends the values. The scheduler is used only as a clock.
    ///
    /// - Parameters:
    ///   - scheduler: The scheduler that measures the time.
    ///   - options: Not used. The parameter exists because Combine has it.
    @inlinable
    public func measureInterval<S: Scheduler>(
        using scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.MeasureInterval<Self, S> {
        Publishers.MeasureInterval(upstream: self, scheduler: scheduler)
    }
}

extension Publishers {
    /// A publisher that publishes the time that has passed between values of its upstream.
    public struct MeasureInterval<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Context.SchedulerTimeType.Stride
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The scheduler that measures the time.
        public let scheduler: Context

        /// Creates the publisher of ``Publisher/measureInterval(using:options:)``.
        @inlinable
        public init(upstream: Upstream, scheduler: Context) {
            self.upstream = upstream
            self.scheduler = scheduler
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, scheduler: scheduler))
        }
    }
}

extension Publishers.MeasureInterval: Sendable where Upstream: Sendable, Context: Sendable {}

extension Publishers.MeasureInterval {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Context.SchedulerTimeType.Stride, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let scheduler: Context
        @usableFromInline let link = UpstreamLink("MeasureInterval")

        /// The time of the previous value or the subscription.
        @usableFromInline let previousDate = SerialState<Context.SchedulerTimeType?>(nil)

        @inlinable
        init(downstream: Downstream, scheduler: Context) {
            self.downstream = downstream
            self.scheduler = scheduler
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard link.attach(subscription) else { return }
            previousDate.value = scheduler.now
            downstream.receive(subscription: link)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            let now = scheduler.now
            guard let previousDate = exchange(&previousDate.value, with: now) else { return .none }
            let additional = downstream.receive(previousDate.distance(to: now))
            if additional > .none { link.request(additional) }
            return .none
        }
    }
}
