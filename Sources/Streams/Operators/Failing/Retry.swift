extension Publisher {
    /// Subscribes to this publisher again where it fails.
    ///
    /// ```
    /// ──1──✕ E   ──1──2──|
    ///   retry(1)
    /// ──1──────────1──2──|
    /// ```
    ///
    /// Values of the failed attempts are delivered too. Demand that an attempt left unanswered is passed on to the next
    /// one. The stack does not grow with the attempts, even if all of them fail at once. An attempt begins on the
    /// thread on which the one before failed. Cancellation reaches the current attempt, and there is no other.
    ///
    /// - Parameter retries: How often to subscribe again at most. The failure after the last attempt is delivered. A
    ///   negative number is as often as it takes, as in Combine.
    @inlinable
    public func retry(_ retries: Int) -> Publishers.Retry<Self> {
        Publishers.Retry(upstream: self, retries: retries)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/retry(_:)`` makes.
    public struct Retry<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// How often to subscribe again at most, nil for as often as it takes.
        public let retries: Int?

        /// With nil for `retries` there are as many as it takes.
        @inlinable
        public init(upstream: Upstream, retries: Int?) {
            self.upstream = upstream
            self.retries = retries
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let rule = CountedRule<Failure>(after: .failures, times: retries)
            Resubscription("Retry", upstream: upstream, rule: rule, downstream: subscriber).subscribe()
        }
    }
}

extension Publishers.Retry: Equatable where Upstream: Equatable {}
extension Publishers.Retry: Sendable where Upstream: Sendable {}

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
        backoff: Operators.Backoff,
        scheduler: S,
        options: S.SchedulerOptions? = nil,
        where condition: (@Sendable (Failure) -> Bool)? = nil
    ) -> Operators.RetryWithBackoff<Self, S> {
        Operators.RetryWithBackoff(
            upstream: self, retries: retries, backoff: backoff, scheduler: scheduler, options: options,
            condition: condition)
    }
}

extension Operators {
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
            Resubscription("RetryWithBackoff", upstream: upstream, rule: rule, downstream: subscriber).subscribe()
        }
    }
}

extension Operators.RetryWithBackoff: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}

extension Operators.RetryWithBackoff {
    @usableFromInline
    struct Rule: ResubscriptionRule {
        @usableFromInline let settings: Operators.RetryWithBackoff<Upstream, Context>
        @usableFromInline var retry = 0

        @inlinable var answersAsCombine: Bool { false }

        @inlinable
        init(settings: Operators.RetryWithBackoff<Upstream, Context>) {
            self.settings = settings
        }

        @inlinable
        mutating func next(after completion: Subscribers.Completion<Upstream.Failure>) -> ResubscriptionDecision {
            guard case .failure(let error) = completion, settings.retries.map({ retry < $0 }) ?? true,
                settings.condition?(error) ?? true
            else { return .none }
            if retry < .max { retry += 1 }
            let wait = settings.backoff.seconds(beforeRetry: retry, chance: .random(in: 0...1))
            return .later { [settings] work in
                let scheduler = settings.scheduler
                let date = scheduler.now.advanced(by: .seconds(wait))
                scheduler.schedule(
                    after: date, tolerance: scheduler.minimumTolerance, options: settings.options, work.action)
            }
        }
    }
}

extension Operators {
    /// How long to wait before each retry: longer each time, up to a limit, and not the same for everybody.
    public struct Backoff: Hashable, Sendable {
        /// The wait before the first retry.
        public var initial: Duration

        /// What no wait is longer than.
        public var maximum: Duration

        /// By what a wait is longer than the one before it.
        public var factor: Double

        /// Which share of a wait is left to chance, from 0 to 1, so that those who failed together do not come back
        /// together. With 1, a wait is drawn evenly from zero to its full length.
        public var jitter: Double

        /// - Parameters:
        ///   - initial: The wait before the first retry.
        ///   - maximum: What no wait is longer than.
        ///   - factor: By what a wait is longer than the one before it.
        ///   - jitter: Which share of a wait is left to chance, from 0 to 1.
        public init(
            initial: Duration = .milliseconds(500), maximum: Duration = .seconds(30), factor: Double = 2,
            jitter: Double = 1
        ) {
            self.initial = initial
            self.maximum = maximum
            self.factor = factor
            self.jitter = jitter
        }

        /// The same wait every time.
        public static func constant(_ delay: Duration) -> Backoff {
            Backoff(initial: delay, maximum: delay, factor: 1, jitter: 0)
        }

        /// The wait before a retry, in seconds.
        ///
        /// - Parameters:
        ///   - retry: The retry's number, from 1.
        ///   - chance: A number from 0 to 1.
        @usableFromInline
        func seconds(beforeRetry retry: Int, chance: Double) -> Double {
            var wait = Self.seconds(initial)
            let limit = Self.seconds(maximum)
            // A thousand steps are as good as more, whatever the factor.
            let steps = factor == 1 ? 0 : Swift.min(Swift.max(retry - 1, 0), 1000)
            for _ in 0..<steps {
                if wait >= limit || wait <= 0 { break }
                wait *= factor
            }
            let share = Swift.min(Swift.max(jitter, 0), 1)
            return Swift.max(Swift.min(wait, limit), 0) * (1 - share * chance)
        }

        private static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
    }
}
