extension Publisher {
    /// Subscribes to this publisher again, after a failure, when another publisher emits.
    ///
    /// ```
    /// ──1──✕ E      ──1──2──|
    ///   retry { errors in errors.delay(for: 3, scheduler: queue).setFailureType(to: E.self) }
    /// ──1─────────────1──2──|
    /// ```
    ///
    /// The closure is called once for each subscription. It receives a publisher of the failures and returns the trigger,
    /// a publisher whose values start the next attempt.
    ///
    /// ```swift
    /// requests.retry { errors in
    ///     errors.flatMap { error in
    ///         error.isTransient ? Just(()).setFailureType(to: HTTPError.self).eraseToAnyPublisher()
    ///             : Fail(error: error).eraseToAnyPublisher()
    ///     }
    /// }
    /// ```
    ///
    /// Values of failed attempts are delivered too. The stack does not grow with the attempts.
    ///
    /// **Demand.** The demand that one attempt leaves unanswered is requested from the next one. One value is requested
    /// from the trigger for each failure, so a subject as the trigger starts no attempt by what it sent before.
    ///
    /// **Completion.** Finishes when an attempt does. The completion of the trigger ends the stream at once: it finishes
    /// or fails as the trigger does, also while an attempt is running. A trigger such as `errors.prefix(3)`, which
    /// finishes with its third value, leaves that value no time for an attempt.
    ///
    /// **Cancellation.** Cancels the current attempt and the trigger. The publisher of the failures finishes.
    ///
    /// **Threads.** An attempt begins on the thread on which the trigger emits.
    ///
    /// - Parameter trigger: A closure that creates the trigger from a publisher of the failures.
    @preconcurrency
    @inlinable
    public func retry<Trigger: Publisher>(
        when trigger: @escaping @Sendable (AnyPublisher<Failure, Never>) -> Trigger
    ) -> Operators.RetryWhen<Self, Trigger> where Trigger.Failure == Failure {
        Operators.RetryWhen(upstream: self, trigger: trigger)
    }
}

extension Operators {
    /// A publisher that subscribes to its upstream again, after a failure, when another publisher emits.
    public struct RetryWhen<Upstream: Publisher, Trigger: Publisher>: Publisher
    where Trigger.Failure == Upstream.Failure {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that is subscribed to in each attempt.
        public let upstream: Upstream

        /// The closure that creates the trigger from a publisher of the failures.
        public let trigger: @Sendable (AnyPublisher<Failure, Never>) -> Trigger

        /// Creates the publisher of ``Publisher/retry(when:)``.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, trigger: @escaping @Sendable (AnyPublisher<Failure, Never>) -> Trigger) {
            self.upstream = upstream
            self.trigger = trigger
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            TriggeredResubscription("RetryWhen", upstream: upstream, downstream: subscriber) { completion in
                if case .failure(let error) = completion { error } else { nil }
            }.start(trigger)
        }
    }
}

extension Operators.RetryWhen: Sendable where Upstream: Sendable {}
