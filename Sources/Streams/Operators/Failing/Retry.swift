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
    /// Without a number of retries, it retries for ever:
    ///
    /// ```swift
    /// feed.retry(backoff: Backoff(maximum: .seconds(60)), scheduler: queue)
    /// ```
    ///
    /// Values of failed attempts are delivered too. The stack does not grow with the attempts.
    ///
    /// A value resets the number of retries and the delay: an attempt that has delivered one is followed by a first retry
    /// again. So a connection that breaks once a day does not use up its retries in a month.
    ///
    /// **Demand.** The demand that one attempt leaves unanswered is requested from the next one.
    ///
    /// **Completion.** Finishes when an attempt does, and fails with the last attempt.
    ///
    /// **Cancellation.** Cancels the current attempt. During a delay it releases everything at once.
    ///
    /// **Threads.** The first attempt begins on the thread that subscribes, the others on the scheduler.
    ///
    /// - Parameters:
    ///   - retries: The maximum number of further attempts, nil for no limit. Zero and negative numbers mean none, in
    ///     contrast to ``Publisher/retry(_:)``.
    ///   - backoff: The delay before each further attempt.
    ///   - scheduler: The scheduler to wait and subscribe on.
    ///   - options: Options for the scheduler.
    ///   - resetsAfterValue: Whether a value resets the number of retries and the delay.
    ///   - condition: A closure that returns whether a failure is followed by another attempt, nil for every failure.
    ///     It is called on the thread that delivers the failure.
    @preconcurrency
    @inlinable
    public func retry<S: Scheduler>(
        _ retries: Int? = nil,
        backoff: Backoff,
        scheduler: S,
        options: S.SchedulerOptions? = nil,
        resetsAfterValue: Bool = true,
        where condition: (@Sendable (Failure) -> Bool)? = nil
    ) -> Operators.RetryWithBackoff<Self, S> {
        Operators.RetryWithBackoff(
            upstream: self, retries: retries, backoff: backoff, scheduler: scheduler, options: options,
            resetsAfterValue: resetsAfterValue, condition: condition)
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

        /// The delay before each further attempt.
        public let backoff: Backoff

        /// The scheduler to wait and subscribe on.
        public let scheduler: Context

        /// Options for the scheduler.
        public let options: Context.SchedulerOptions?

        /// Whether a value resets the number of retries and the delay.
        public let resetsAfterValue: Bool

        /// A closure that returns whether a failure is followed by another attempt, nil for every failure.
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
            resetsAfterValue: Bool = true,
            condition: (@Sendable (Failure) -> Bool)?
        ) {
            self.upstream = upstream
            self.retries = retries
            self.backoff = backoff
            self.scheduler = scheduler
            self.options = options
            self.resetsAfterValue = resetsAfterValue
            self.condition = condition
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let progress = SerialState(RetryProgress(resetsAfterValue: resetsAfterValue))
            let observer = RetryProgressSubscriber(downstream: subscriber, progress: progress)
            Resubscription("RetryWithBackoff", upstream: upstream, downstream: observer, limit: retries) {
                [self] completion, _, limit in
                guard case .failure(let error) = completion else { return .complete }
                let retry = progress.value.attemptFailed()
                guard limit.map({ retry <= $0 }) ?? true, condition?(error) ?? true else { return .complete }
                let delay = backoff.delay(beforeRetry: retry, random: .random(in: 0...1))
                return .schedule { job in
                    let date = scheduler.now.advanced(by: .seconds(delay / .seconds(1)))
                    scheduler.schedule(
                        after: date, tolerance: scheduler.minimumTolerance, options: options, job.action)
                }
            }.subscribe()
        }
    }
}

extension Operators.RetryWithBackoff: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}

/// The number of retries since the last value.
@usableFromInline
struct RetryProgress {
    @usableFromInline let resetsAfterValue: Bool
    @usableFromInline var hasValue = false
    @usableFromInline var retries = 0

    @inlinable
    init(resetsAfterValue: Bool) {
        self.resetsAfterValue = resetsAfterValue
    }

    /// Returns the number of the next retry, from 1.
    @inlinable
    mutating func attemptFailed() -> Int {
        if exchange(&hasValue, with: false), resetsAfterValue { retries = 0 }
        if retries < .max { retries += 1 }
        return retries
    }
}

/// A subscriber that records whether an attempt has delivered a value.
@usableFromInline
struct RetryProgressSubscriber<Downstream: Subscriber>: Subscriber {
    @usableFromInline let downstream: Downstream
    @usableFromInline let progress: SerialState<RetryProgress>

    @inlinable
    init(downstream: Downstream, progress: SerialState<RetryProgress>) {
        self.downstream = downstream
        self.progress = progress
    }

    @inlinable var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    @inlinable var needsEveryValue: Bool { downstream.needsEveryValue }

    @inlinable
    func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        progress.value.hasValue = true
        return downstream.receive(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        downstream.receive(completion: completion)
    }
}
