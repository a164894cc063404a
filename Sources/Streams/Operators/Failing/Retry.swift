extension Publisher {
    /// Subscribes to this publisher again when it fails.
    ///
    /// ```
    /// ──1──✕ E   ──1──2──|
    ///   retry(1)
    /// ──1──────────1──2──|
    /// ```
    ///
    /// Values of failed attempts are delivered too. The stack does not grow with the attempts, even if all of them fail at
    /// once.
    ///
    /// **Demand.** The demand that one attempt leaves unanswered is requested from the next one.
    ///
    /// **Completion.** Finishes when an attempt does, and fails with the last attempt.
    ///
    /// **Cancellation.** Cancels the current attempt.
    ///
    /// **Threads.** An attempt begins on the thread on which the previous one fails.
    ///
    /// - Parameter retries: The maximum number of further attempts. Unlimited if negative, as in Combine.
    @inlinable
    public func retry(_ retries: Int) -> Publishers.Retry<Self> {
        Publishers.Retry(upstream: self, retries: retries)
    }

    /// Subscribes to this publisher again some time after it has failed.
    ///
    /// ```
    /// ──1──✕ E         ──1──2──|
    ///   retry(1, backoff: .constant(.seconds(3)), scheduler: queue)
    /// ──1────────────────1──2──|     the second attempt three seconds after the first
    /// ```
    ///
    /// Values of failed attempts are delivered too. The stack does not grow with the attempts.
    ///
    /// **Demand.** The demand that one attempt leaves unanswered is requested from the next one.
    ///
    /// **Completion.** Finishes when an attempt does, and fails with the last attempt.
    ///
    /// **Cancellation.** Cancels the current attempt. During a wait it releases everything at once.
    ///
    /// **Threads.** The first attempt begins on the thread that subscribes, the others on the scheduler.
    ///
    /// - Parameters:
    ///   - retries: The maximum number of further attempts. Zero and negative numbers mean none, in contrast to
    ///     ``Publisher/retry(_:)``.
    ///   - backoff: The wait before each further attempt.
    ///   - scheduler: The scheduler to wait and subscribe on.
    ///   - options: Options for the scheduler.
    ///   - condition: A closure that returns whether a failure is followed by another attempt. It is called on the thread
    ///     that delivers the failure. Every failure is if it is nil.
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

extension Publishers {
    /// A publisher that subscribes to its upstream again when that fails.
    public struct Retry<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that is subscribed to in each attempt.
        public let upstream: Upstream

        /// The maximum number of further attempts. Unlimited if nil or negative.
        public let retries: Int?

        /// Creates a publisher that subscribes to another one again when that fails.
        @inlinable
        public init(upstream: Upstream, retries: Int?) {
            self.upstream = upstream
            self.retries = retries
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            Resubscription("Retry", upstream: upstream, downstream: subscriber, limit: retries) {
                completion, retry, limit in
                guard case .failure = completion else { return .complete }
                return .subscribe(again: retry, upTo: limit)
            }.subscribe()
        }
    }
}

extension Publishers.Retry: Equatable where Upstream: Equatable {}
extension Publishers.Retry: Sendable where Upstream: Sendable {}

extension Operators {
    /// A publisher that subscribes to its upstream again some time after that has failed.
    public struct RetryWithBackoff<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that is subscribed to in each attempt.
        public let upstream: Upstream

        /// The maximum number of further attempts. Unlimited if nil.
        public let retries: Int?

        /// The wait before each further attempt.
        public let backoff: Backoff

        /// The scheduler to wait and subscribe on.
        public let scheduler: Context

        /// Options for the scheduler.
        public let options: Context.SchedulerOptions?

        /// A closure that returns whether a failure is followed by another attempt. Every failure is if it is nil.
        public let condition: (@Sendable (Failure) -> Bool)?

        /// Creates a publisher that subscribes to another one again some time after that has failed.
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
            Resubscription("RetryWithBackoff", upstream: upstream, downstream: subscriber, limit: retries) {
                [self] completion, retry, limit in
                guard case .failure(let error) = completion, limit.map({ retry <= $0 }) ?? true,
                    condition?(error) ?? true
                else { return .complete }
                let wait = backoff.seconds(beforeRetry: retry, chance: .random(in: 0...1))
                return .schedule { job in
                    let date = scheduler.now.advanced(by: .seconds(wait))
                    scheduler.schedule(
                        after: date, tolerance: scheduler.minimumTolerance, options: options, job.action)
                }
            }.subscribe()
        }
    }
}

extension Operators.RetryWithBackoff: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}

extension Operators {
    /// The waits before further attempts: each longer than the one before, up to a limit, and partly random.
    public struct Backoff: Hashable, Sendable {
        /// The wait before the first retry.
        public var initial: Duration

        /// The longest wait.
        public var maximum: Duration

        /// The factor by which each wait is longer than the one before.
        public var factor: Double

        /// The random share of a wait, from 0 to 1. With 1, a wait is drawn evenly from zero to its full length. So
        /// clients that failed together do not retry together.
        public var jitter: Double

        /// Creates a backoff.
        ///
        /// - Parameters:
        ///   - initial: The wait before the first retry.
        ///   - maximum: The longest wait.
        ///   - factor: The factor by which each wait is longer than the one before.
        ///   - jitter: The random share of a wait, from 0 to 1.
        public init(
            initial: Duration = .milliseconds(500), maximum: Duration = .seconds(30), factor: Double = 2,
            jitter: Double = 1
        ) {
            self.initial = initial
            self.maximum = maximum
            self.factor = factor
            self.jitter = jitter
        }

        /// Returns a backoff that always waits as long.
        public static func constant(_ delay: Duration) -> Backoff {
            Backoff(initial: delay, maximum: delay, factor: 1, jitter: 0)
        }

        /// Returns the wait before a retry in seconds.
        ///
        /// - Parameters:
        ///   - retry: The retry's number, from 1.
        ///   - chance: A random number from 0 to 1.
        @usableFromInline
        func seconds(beforeRetry retry: Int, chance: Double) -> Double {
            var wait = initial / .seconds(1)
            let limit = maximum / .seconds(1)
            // Bounds the loop: after a thousand steps a wait has reached the limit, or nearly does not grow.
            let steps = factor == 1 ? 0 : Swift.min(Swift.max(retry - 1, 0), 1000)
            for _ in 0..<steps {
                if wait >= limit || wait <= 0 { break }
                wait *= factor
            }
            let share = Swift.min(Swift.max(jitter, 0), 1)
            return Swift.max(Swift.min(wait, limit), 0) * (1 - share * chance)
        }
    }
}
