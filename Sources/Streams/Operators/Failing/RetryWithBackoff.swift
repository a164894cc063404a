extension Publisher {
    /// Subscribes to this publisher again some time after it has failed.
    ///
    /// ```
    /// ──1──✕ E         ──1──2──|
    ///   retry(1, backoff: .constant(.seconds(3)), scheduler: queue)
    /// ──1────────────────1──2──|     the second attempt three seconds after the first
    /// ```
    ///
    /// Values of the failed attempts are delivered too.
    ///
    /// **Demand** that an attempt left unanswered is passed on to the next one.
    ///
    /// **Cancellation** reaches the current attempt. Between two of them it lets go of everything at once, and there is
    /// no other.
    ///
    /// **Threads.** The first attempt is subscribed to on the thread that subscribes, the others on the scheduler. The
    /// stack does not grow with the attempts.
    ///
    /// - Parameters:
    ///   - retries: How often to subscribe again at most. The failure after the last attempt is delivered. Zero and
    ///     less is never, where ``Publisher/retry(_:)`` takes a negative number for as often as it takes.
    ///   - backoff: How long to wait before each.
    ///   - scheduler: Where to wait and subscribe.
    ///   - options: Settings for the scheduler.
    ///   - condition: Called with each failure, on the thread that delivers it; one it says no to is delivered. Without
    ///     it all failures are followed by a retry.
    @preconcurrency
    @inlinable
    public func retry<S: Scheduler>(
        _ retries: Int,
        backoff: Publishers.Backoff,
        scheduler: S,
        options: S.SchedulerOptions? = nil,
        where condition: (@Sendable (Failure) -> Bool)? = nil
    ) -> Publishers.RetryWithBackoff<Self, S> {
        Publishers.RetryWithBackoff(
            upstream: self, retries: retries, backoff: backoff, scheduler: scheduler, options: options,
            condition: condition)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/retry(_:backoff:scheduler:options:where:)`` makes.
    public struct RetryWithBackoff<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// How often to subscribe again at most, nil for as often as it takes.
        public let retries: Int?

        /// How long to wait before each retry.
        public let backoff: Backoff

        /// Where to wait and subscribe.
        public let scheduler: Context

        /// Settings for the scheduler.
        public let options: Context.SchedulerOptions?

        /// Which failures are followed by a retry, all if nil.
        public let condition: (@Sendable (Failure) -> Bool)?

        /// With nil for `retries` there are as many as it takes.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream,
            retries: Int?,
            backoff: Backoff,
            scheduler: Context,
            options: Context.SchedulerOptions?,
            condition: (@Sendable (Failure) -> Bool)?
        ) {
            self.upstream = upstream
            self.retries = retries
            self.backoff = backoff
            self.scheduler = scheduler
            self.options = options
            self.condition = condition
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let rule = Rule(settings: self)
            Attempts(.retryWithBackoff, upstream: upstream, rule: rule, downstream: subscriber).subscribe()
        }
    }
}

extension Publishers.RetryWithBackoff: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}

extension Publishers.RetryWithBackoff {
    @usableFromInline
    struct Rule: AttemptRule {
        @usableFromInline let settings: Publishers.RetryWithBackoff<Upstream, Context>
        @usableFromInline var retry = 0

        @inlinable var answersAsCombine: Bool { false }

        @inlinable
        init(settings: Publishers.RetryWithBackoff<Upstream, Context>) {
            self.settings = settings
        }

        @inlinable
        mutating func next(after completion: Subscribers.Completion<Upstream.Failure>) -> NextAttempt {
            guard case .failure(let error) = completion, settings.retries.map({ retry < $0 }) ?? true,
                settings.condition?(error) ?? true
            else { return .none }
            if retry < .max { retry += 1 }
            let wait = settings.backoff.seconds(beforeRetry: retry, chance: .random(in: 0...1))
            return .later { [settings] work in
                let scheduler = settings.scheduler
                let date = scheduler.now.advanced(by: .seconds(wait))
                scheduler.schedule(
                    work, after: date, tolerance: scheduler.minimumTolerance, options: settings.options)
            }
        }
    }
}
