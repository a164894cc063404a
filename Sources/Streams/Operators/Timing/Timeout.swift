extension Publisher {
    /// Ends the stream when too much time passes without a value.
    ///
    /// ```
    /// ──1──2─────────────
    ///   timeout(.seconds(5), scheduler: queue)
    /// ───1──2─────|       on the queue, five seconds after 2
    /// ```
    ///
    /// The clock starts with the subscription. It starts again with the first request, as in Combine, and with each value, on its
    /// arrival.
    ///
    /// **Demand** passes through.
    ///
    /// **Completion.** It comes after the values, in the order of arrival; so does the end by time-out, which cancels the
    /// upstream.
    ///
    /// **Cancellation** passes through at once, on the calling thread; what is waiting is dropped, and the timer stopped.
    ///
    /// **Threads.** Values and the completion are delivered on the scheduler, the subscription on the thread that subscribes.
    ///
    /// - Parameters:
    ///   - interval: How long may pass without a value, on the scheduler's clock.
    ///   - scheduler: Where to measure time and deliver.
    ///   - options: Settings for the scheduler.
    ///   - customError: Called at a time-out, on the scheduler, for the failure to end with. Without it the stream finishes.
    @preconcurrency
    @inlinable
    public func timeout<S: Scheduler>(
        _ interval: S.SchedulerTimeType.Stride,
        scheduler: S,
        options: S.SchedulerOptions? = nil,
        customError: (@Sendable () -> Failure)? = nil
    ) -> Publishers.Timeout<Self, S> {
        Publishers.Timeout(
            upstream: self, interval: interval, scheduler: scheduler, options: options, customError: customError)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/timeout(_:scheduler:options:customError:)`` makes.
    public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream

        /// How long may pass without a value.
        public let interval: Context.SchedulerTimeType.Stride

        /// Where time is measured and signals are delivered.
        public let scheduler: Context

        /// Settings for the scheduler.
        public let options: Context.SchedulerOptions?

        /// Makes the failure that a time-out ends with.
        public let customError: (@Sendable () -> Failure)?

        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream,
            interval: Context.SchedulerTimeType.Stride,
            scheduler: Context,
            options: Context.SchedulerOptions?,
            customError: (@Sendable () -> Failure)?
        ) {
            self.upstream = upstream
            self.interval = interval
            self.scheduler = scheduler
            self.options = options
            self.customError = customError
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, settings: self))
        }
    }
}

extension Publishers.Timeout: Sendable
where
    Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable,
    Context.SchedulerTimeType.Stride: Sendable
{}

extension Publishers.Timeout {
    @usableFromInline
    final class Inner<Downstream: Subscriber>: LinkedSubscriber, TimedRelay
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline typealias Entry = Signal<Downstream.Input, Downstream.Failure>

        @usableFromInline let downstream: Downstream
        @usableFromInline let interval: Context.SchedulerTimeType.Stride
        @usableFromInline let scheduler: Context
        @usableFromInline let options: Context.SchedulerOptions?
        @usableFromInline let customError: (@Sendable () -> Failure)?
        @usableFromInline let link = TimedLink<Inner>("Timeout")

        @inlinable
        init(downstream: Downstream, settings: Publishers.Timeout<Upstream, Context>) {
            self.downstream = downstream
            interval = settings.interval
            scheduler = settings.scheduler
            options = settings.options
            customError = settings.customError
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard link.attach(subscription) else { return }
            link.holdingJobs(of: self) {
                link.startClock(of: self)
                downstream.receive(subscription: link)
            }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            link.restartClock(of: self)
            link.add(.value(input), for: self)
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.finish() else { return }
            link.stopClock()
            link.add(.completion(completion), isLast: true, for: self)
        }

        @inlinable
        func timeOut() {
            guard link.cancelUpstream() else { return }
            let completion = customError.map { Subscribers.Completion.failure($0()) } ?? .finished
            // This is the scheduler already.
            if link.append(.completion(completion), isLast: true, for: self) { link.runJob() }
        }

        @inlinable
        static func date(of entry: borrowing Entry) {}

        @inlinable
        func jobBegins() {}

        @inlinable
        func isDue(_ date: Void) -> Bool { true }

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
