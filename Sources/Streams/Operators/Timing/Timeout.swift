extension Publisher {
    /// Ends the stream when no value comes for some time.
    ///
    /// ```
    /// ──1──2─────────────
    ///   timeout(.seconds(5), scheduler: queue)
    /// ───1──2─────|       on the queue, five seconds after 2
    /// ```
    ///
    /// The clock starts with the subscription, and again with the first request, as in Combine, and with each value. On
    /// a scheduler that runs timers at once, such as ``ImmediateScheduler``, the stream ends after the subscription.
    ///
    /// **Demand.** Requests pass through.
    ///
    /// **Completion.** The upstream's completion and a timeout follow the values. A timeout cancels the upstream.
    ///
    /// **Cancellation.** Cancels the upstream and the timer on the calling thread, and drops the queued values.
    ///
    /// **Threads.** The subscription is delivered on the subscribing thread, other signals on the scheduler.
    ///
    /// - Parameters:
    ///   - interval: The longest time without a value, on the scheduler's clock.
    ///   - scheduler: The scheduler that measures the time and delivers.
    ///   - options: The scheduler's options.
    ///   - customError: A closure that returns the failure for a timeout. Without it the stream finishes.
    @preconcurrency
    @inlinable
    public func timeout<S: Scheduler>(
        _ interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
        customError: (@Sendable () -> Failure)? = nil
    ) -> Publishers.Timeout<Self, S> {
        Publishers.Timeout(
            upstream: self, interval: interval, scheduler: scheduler, options: options, customError: customError)
    }
}

extension Publishers {
    /// A publisher that ends the stream when no value comes for some time.
    public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The longest time without a value.
        public let interval: Context.SchedulerTimeType.Stride

        /// The scheduler that measures the time and delivers.
        public let scheduler: Context

        /// The scheduler's options.
        public let options: Context.SchedulerOptions?

        /// A closure that returns the failure for a timeout.
        public let customError: (@Sendable () -> Failure)?

        /// Creates the publisher of ``Publisher/timeout(_:scheduler:options:customError:)``.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?, customError: (@Sendable () -> Failure)?
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
            upstream.subscribe(
                TimeoutSubscriber(
                    "Timeout", limit: .eachValue, downstream: subscriber, interval: interval, scheduler: scheduler,
                    options: options, customError: customError))
        }
    }
}

extension Publishers.Timeout: Sendable
where
    Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable,
    Context.SchedulerTimeType.Stride: Sendable
{}

extension Publisher {
    /// Ends the stream when the first value takes too long.
    ///
    /// ```
    /// ───────────1──2──|
    ///   timeout(first: .seconds(5), scheduler: queue)
    /// ─────|                  on the queue, five seconds after the first request
    /// ```
    ///
    /// The clock starts with the subscription, and again with the first request. The first value stops it. In
    /// everything else it is like ``timeout(_:scheduler:options:customError:)``.
    ///
    /// - Parameters:
    ///   - interval: The longest time until the first value, on the scheduler's clock.
    ///   - scheduler: The scheduler that measures the time and delivers.
    ///   - options: The scheduler's options.
    ///   - customError: A closure that returns the failure for a timeout. Without it the stream finishes.
    @preconcurrency
    @inlinable
    public func timeout<S: Scheduler>(
        first interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
        customError: (@Sendable () -> Failure)? = nil
    ) -> Operators.Deadline<Self, S> {
        Operators.Deadline(
            upstream: self, scope: .firstValue, interval: interval, scheduler: scheduler, options: options,
            customError: customError)
    }

    /// Ends the stream when its completion takes too long.
    ///
    /// ```
    /// ──1──2──3──4──5──|
    ///   timeout(total: .seconds(10), scheduler: queue)
    /// ───1──2──3|             on the queue, ten seconds after the subscription
    /// ```
    ///
    /// The clock starts with the subscription. Otherwise like ``timeout(_:scheduler:options:customError:)``.
    ///
    /// - Parameters:
    ///   - interval: The longest time until the completion, on the scheduler's clock.
    ///   - scheduler: The scheduler that measures the time and delivers.
    ///   - options: The scheduler's options.
    ///   - customError: A closure that returns the failure for a timeout. Without it the stream finishes.
    @preconcurrency
    @inlinable
    public func timeout<S: Scheduler>(
        total interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
        customError: (@Sendable () -> Failure)? = nil
    ) -> Operators.Deadline<Self, S> {
        Operators.Deadline(
            upstream: self, scope: .completion, interval: interval, scheduler: scheduler, options: options,
            customError: customError)
    }

    /// Publishes the values that come within some time, then finishes.
    ///
    /// ```
    /// ──1──2──3──4──5──
    ///   prefix(for: .seconds(10), scheduler: queue)
    /// ───1──2──3|             on the queue, ten seconds after the subscription
    /// ```
    ///
    /// It is ``timeout(total:scheduler:options:customError:)`` without an error: the end cancels the upstream.
    ///
    /// - Parameters:
    ///   - interval: The time for which values are published, on the scheduler's clock.
    ///   - scheduler: The scheduler that measures the time and delivers.
    ///   - options: The scheduler's options.
    @inlinable
    public func prefix<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Operators.Deadline<Self, S> {
        timeout(total: interval, scheduler: scheduler, options: options)
    }
}

extension Operators {
    /// A publisher that ends the stream when the first value or the completion takes too long.
    public struct Deadline<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The signal that has to come in time.
        public enum Scope: Hashable, Sendable {
            /// The first value, or the completion of a stream without values.
            case firstValue
            /// The completion.
            case completion
        }

        /// The upstream publisher.
        public let upstream: Upstream

        /// The signal that has to come in time.
        public let scope: Scope

        /// The longest time that it may take.
        public let interval: Context.SchedulerTimeType.Stride

        /// The scheduler that measures the time and delivers.
        public let scheduler: Context

        /// The scheduler's options.
        public let options: Context.SchedulerOptions?

        /// A closure that returns the failure for a timeout.
        public let customError: (@Sendable () -> Failure)?

        /// Creates the publisher of `timeout(first:)`, `timeout(total:)` and `prefix(for:)`.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream, scope: Scope, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?, customError: (@Sendable () -> Failure)?
        ) {
            self.upstream = upstream
            self.scope = scope
            self.interval = interval
            self.scheduler = scheduler
            self.options = options
            self.customError = customError
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                TimeoutSubscriber(
                    "Deadline", limit: scope == .firstValue ? .firstValue : .completion, downstream: subscriber,
                    interval: interval, scheduler: scheduler, options: options, customError: customError))
        }
    }
}

extension Operators.Deadline: Sendable
where
    Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable,
    Context.SchedulerTimeType.Stride: Sendable
{}

/// The subscriber of operators that end a stream when a value or the completion takes too long.
@usableFromInline
final class TimeoutSubscriber<Downstream: Subscriber, Context: Scheduler>: ScheduledReceiver {
    /// The signal that the clock waits for.
    @usableFromInline
    enum Limit {
        case eachValue, firstValue, completion
    }

    @usableFromInline let downstream: Downstream
    @usableFromInline let limit: Limit
    @usableFromInline let interval: Context.SchedulerTimeType.Stride
    @usableFromInline let scheduler: Context
    @usableFromInline let options: Context.SchedulerOptions?
    @usableFromInline let customError: (@Sendable () -> Downstream.Failure)?
    @usableFromInline let link: TimeoutLink

    @inlinable
    init(
        _ name: String, limit: Limit, downstream: Downstream,
        interval: Context.SchedulerTimeType.Stride, scheduler: Context, options: Context.SchedulerOptions?,
        customError: (@Sendable () -> Downstream.Failure)?
    ) {
        link = TimeoutLink(name)
        self.limit = limit
        self.downstream = downstream
        self.interval = interval
        self.scheduler = scheduler
        self.options = options
        self.customError = customError
    }

    @usableFromInline
    func receive(subscription: any Subscription) {
        guard link.attach(subscription) else { return }
        link.queue.deferringJobs(for: self) {
            let deadline = scheduler.now.advanced(by: interval)
            link.clock.withLock { $0 = Clock(receiver: self, deadline: deadline) }
            startTimer()
            downstream.receive(subscription: link)
        }
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        guard link.isActive else { return .none }
        if limit == .eachValue { moveDeadline() }
        if limit == .firstValue { link.stopClock() }
        link.queue.add(.value(input), for: self)
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        guard link.complete() else { return }
        link.stopClock()
        link.queue.add(.completion(completion), isLast: true, for: self)
    }

    @inlinable
    func scheduleJob(for entry: Signal<Downstream.Input, Downstream.Failure>) {
        scheduler.schedule(options: options, link.queue.action)
    }

    /// Moves the deadline. The timer is started again when it fires, at most once in an interval.
    @inlinable
    func moveDeadline() {
        let deadline = scheduler.now.advanced(by: interval)
        let previous = link.clock.withLock { clock in
            defer { clock?.deadline = deadline }
            clock?.hasMoved = true
            return clock?.deadline
        }
        withExtendedLifetime(previous) {}
    }

    @usableFromInline
    func startTimer() {
        let (generation, deadline, previous) = link.clock.withLock {
            clock -> (UInt64?, Context.SchedulerTimeType?, (any Cancellable)?) in
            clock?.hasMoved = false
            let previous = clock?.timer.advance()
            return (clock?.timer.generation, clock?.deadline, previous)
        }
        previous?.cancel()
        guard let generation, let deadline else { return }
        let job = ScheduledJob { [link] _ in Self.timerFired(generation, link) }
        let timer = scheduler.startTimer(at: deadline, interval: interval, options: options, job)
        let isStored = link.clock.withLock { $0?.timer.store(timer, generation: generation) ?? false }
        if !isStored { timer.cancel() }
    }

    /// Ends the stream if the deadline has not moved. Called on the scheduler.
    @usableFromInline
    static func timerFired(_ generation: UInt64, _ link: TimeoutLink) {
        let fired = link.clock.withLock { clock -> Clock? in
            guard let current = clock, current.timer.generation == generation else { return nil }
            if !current.hasMoved { clock = nil }
            return current
        }
        guard let fired else { return }
        if fired.hasMoved { return fired.receiver.startTimer() }
        fired.timer.cancel()
        guard link.complete(cancellingUpstream: true) else { return }
        let completion = fired.receiver.customError.map { Subscribers.Completion.failure($0()) } ?? .finished
        if link.queue.append(.completion(completion), isLast: true, for: fired.receiver) { link.queue.run() }
    }

    /// A running clock. Deadlines are not compared, as that would run a scheduler's code under the lock.
    @usableFromInline
    struct Clock {
        @usableFromInline let receiver: TimeoutSubscriber
        @usableFromInline var deadline: Context.SchedulerTimeType
        @usableFromInline var timer = TimerSlot()
        /// Whether the deadline has moved since the timer was started.
        @usableFromInline var hasMoved = false
        /// Whether the subscriber has requested values.
        @usableFromInline var isRequested = false
    }

    /// The subscription. It holds the subscriber while the clock runs, and a timer holds only the subscription.
    @usableFromInline
    final class TimeoutLink: UpstreamLink {
        @usableFromInline let queue = ScheduledQueue<TimeoutSubscriber<Downstream, Context>>()
        @usableFromInline let clock = Locked(Clock?.none)

        // An initializer that is inherited is not specialised.
        @inlinable
        override init(_ name: String) {
            super.init(name)
        }

        @usableFromInline
        func stopClock() {
            clock.withLock { $0.take() }?.timer.cancel()
        }

        @usableFromInline
        override func request(_ demand: Subscribers.Demand) {
            guard demand > .none else { return }
            let receiver = clock.withLock { clock -> TimeoutSubscriber? in
                guard clock?.isRequested == false else { return nil }
                clock?.isRequested = true
                return clock?.receiver
            }
            if let receiver, receiver.limit != .completion {
                receiver.moveDeadline()
                receiver.startTimer()
            }
            if !queue.withholds(demand) { super.request(demand) }
        }

        @usableFromInline
        override func cancel() {
            stopClock()
            queue.cancel()
            super.cancel()
        }
    }
}
