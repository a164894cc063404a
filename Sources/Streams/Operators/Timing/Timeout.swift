extension Publisher {
    /// Ends the stream when too much time passes without a value.
    ///
    /// ```
    /// ──1──2─────────────
    ///   timeout(.seconds(5), scheduler: queue)
    /// ───1──2─────|       on the queue, five seconds after 2
    /// ```
    ///
    /// The clock starts with the subscription. It starts again with the first request, as in Combine, and with each
    /// value, on its arrival.
    ///
    /// **Demand** passes through.
    ///
    /// **Completion.** It comes after the values, in the order of arrival; so does the end by time-out, which cancels
    /// the upstream.
    ///
    /// **Cancellation** passes through at once, on the calling thread; what is waiting is dropped, and the timer
    /// stopped.
    ///
    /// **Threads.** Values and the completion are delivered on the scheduler, the subscription on the thread that
    /// subscribes.
    ///
    /// - Parameters:
    ///   - interval: How long may pass without a value, on the scheduler's clock.
    ///   - scheduler: Where to measure time and deliver.
    ///   - options: Settings for the scheduler.
    ///   - customError: Called at a time-out, on the scheduler, for the failure to end with. Without it the stream
    ///     finishes.
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

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// How long may pass without a value.
        public let interval: Context.SchedulerTimeType.Stride

        /// Where time is measured and signals are delivered.
        public let scheduler: Context

        /// Settings for the scheduler.
        public let options: Context.SchedulerOptions?

        /// Makes the failure that a time-out ends with.
        public let customError: (@Sendable () -> Failure)?

        /// Makes the publisher; ``Publisher/timeout(_:scheduler:options:customError:)`` is the usual way to it.
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
            upstream.subscribe(
                TimeLimitSubscriber(
                    "Timeout", limit: .pause, downstream: subscriber, interval: interval, scheduler: scheduler,
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
    /// Ends the stream when its first value takes too long.
    ///
    /// ```
    /// ───────────1──2──|
    ///   timeout(first: .seconds(5), scheduler: queue)
    /// ─────|                  on the queue, five seconds after the first request
    /// ```
    ///
    /// The clock starts with the subscription, and again with the first request. Once there is a value, the others may
    /// take as long as they like.
    ///
    /// **Demand** passes through.
    ///
    /// **Completion.** It comes after the values, in the order of arrival; so does the end by time-out, which cancels
    /// the upstream.
    ///
    /// **Cancellation** passes through at once, on the calling thread; what is waiting is dropped, and the timer
    /// stopped.
    ///
    /// **Threads.** Values and the completion are delivered on the scheduler, the subscription on the thread that
    /// subscribes.
    ///
    /// - Parameters:
    ///   - interval: How long the first value may take, on the scheduler's clock.
    ///   - scheduler: Where to measure time and deliver.
    ///   - options: Settings for the scheduler.
    ///   - customError: Called at a time-out, on the scheduler, for the failure to end with. Without it the stream
    ///     finishes.
    @preconcurrency
    @inlinable
    public func timeout<S: Scheduler>(
        first interval: S.SchedulerTimeType.Stride,
        scheduler: S,
        options: S.SchedulerOptions? = nil,
        customError: (@Sendable () -> Failure)? = nil
    ) -> Operators.Deadline<Self, S> {
        Operators.Deadline(
            upstream: self, scope: .firstValue, interval: interval, scheduler: scheduler, options: options,
            customError: customError)
    }

    /// Ends the stream when it takes too long as a whole, whatever it has delivered.
    ///
    /// ```
    /// ──1──2──3──4──5──|
    ///   timeout(total: .seconds(10), scheduler: queue)
    /// ───1──2──3|             on the queue, ten seconds after the subscription
    /// ```
    ///
    /// Demand, completion, cancellation and threads are as with ``timeout(first:scheduler:options:customError:)``.
    ///
    /// - Parameters:
    ///   - interval: How long the stream may take, on the scheduler's clock.
    ///   - scheduler: Where to measure time and deliver.
    ///   - options: Settings for the scheduler.
    ///   - customError: Called at a time-out, on the scheduler, for the failure to end with. Without it the stream
    ///     finishes.
    @preconcurrency
    @inlinable
    public func timeout<S: Scheduler>(
        total interval: S.SchedulerTimeType.Stride,
        scheduler: S,
        options: S.SchedulerOptions? = nil,
        customError: (@Sendable () -> Failure)? = nil
    ) -> Operators.Deadline<Self, S> {
        Operators.Deadline(
            upstream: self, scope: .completion, interval: interval, scheduler: scheduler, options: options,
            customError: customError)
    }

    /// Delivers what comes within some time, and finishes then.
    ///
    /// ```
    /// ──1──2──3──4──5──
    ///   prefix(for: .seconds(10), scheduler: queue)
    /// ───1──2──3|             on the queue, ten seconds after the subscription
    /// ```
    ///
    /// The upstream is cancelled at the end. Demand, completion, cancellation and threads are as with
    /// ``timeout(first:scheduler:options:customError:)``.
    ///
    /// - Parameters:
    ///   - interval: How long to deliver values, on the scheduler's clock.
    ///   - scheduler: Where to measure time and deliver.
    ///   - options: Settings for the scheduler.
    @inlinable
    public func prefix<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Operators.Deadline<Self, S> {
        timeout(total: interval, scheduler: scheduler, options: options)
    }
}

extension Operators {
    /// The publisher that ``Publisher/timeout(first:scheduler:options:customError:)``,
    /// ``Publisher/timeout(total:scheduler:options:customError:)`` and ``Publisher/prefix(for:scheduler:options:)``
    /// make.
    public struct Deadline<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// What has to come in time.
        public enum Scope: Hashable, Sendable {
            /// The first value, or a completion without one.
            case firstValue
            /// The completion.
            case completion
        }

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// What has to come in time.
        public let scope: Scope

        /// How long it may take.
        public let interval: Context.SchedulerTimeType.Stride

        /// Where time is measured and signals are delivered.
        public let scheduler: Context

        /// Settings for the scheduler.
        public let options: Context.SchedulerOptions?

        /// Makes the failure that a time-out ends with.
        public let customError: (@Sendable () -> Failure)?

        /// Makes the publisher; `timeout(first:)`, `timeout(total:)` and `prefix(for:)` are the usual ways to it.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream,
            scope: Scope,
            interval: Context.SchedulerTimeType.Stride,
            scheduler: Context,
            options: Context.SchedulerOptions?,
            customError: (@Sendable () -> Failure)?
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
                TimeLimitSubscriber(
                    "Deadline", limit: scope == .firstValue ? .first : .total, downstream: subscriber,
                    interval: interval, scheduler: scheduler, options: options, customError: customError))
        }
    }
}

extension Operators.Deadline: Sendable
where
    Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable,
    Context.SchedulerTimeType.Stride: Sendable
{}
