extension Publisher {
    /// Subscribes to this publisher again, after it has finished, when another publisher emits.
    ///
    /// ```
    /// ──1──|      ──1──|
    ///   repeat { ends in ends.delay(for: 3, scheduler: queue) }
    /// ──1───────────1─────
    /// ```
    ///
    /// The closure is called once for each subscription. It receives a publisher that emits when a round finishes, and
    /// returns the trigger, a publisher whose values start the next round. So this polls every minute:
    ///
    /// ```swift
    /// status.repeat { ends in
    ///     ends.delay(for: .seconds(60), scheduler: queue).setFailureType(to: HTTPError.self)
    /// }
    /// ```
    ///
    /// The stack does not grow with the rounds.
    ///
    /// **Demand.** The demand that one round leaves unanswered is requested from the next one. One value is requested from
    /// the trigger for each end of a round.
    ///
    /// **Completion.** A failure of a round is delivered at once. The completion of the trigger ends the stream at once: it
    /// finishes or fails as the trigger does, also while a round is running.
    ///
    /// **Cancellation.** Cancels the current round and the trigger. The publisher of the ends finishes.
    ///
    /// **Threads.** A round begins on the thread on which the trigger emits.
    ///
    /// - Parameter trigger: A closure that creates the trigger from a publisher of the ends of the rounds.
    @preconcurrency
    @inlinable
    public func `repeat`<Trigger: Publisher>(
        when trigger: @escaping @Sendable (AnyPublisher<Void, Never>) -> Trigger
    ) -> Operators.RepeatWhen<Self, Trigger> where Trigger.Failure == Failure {
        Operators.RepeatWhen(upstream: self, trigger: trigger)
    }
}

extension Operators {
    /// A publisher that subscribes to its upstream again, after that has finished, when another publisher emits.
    public struct RepeatWhen<Upstream: Publisher, Trigger: Publisher>: Publisher
    where Trigger.Failure == Upstream.Failure {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that is subscribed to in each round.
        public let upstream: Upstream

        /// The closure that creates the trigger from a publisher of the ends of the rounds.
        public let trigger: @Sendable (AnyPublisher<Void, Never>) -> Trigger

        /// Creates the publisher of ``Publisher/repeat(when:)``.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, trigger: @escaping @Sendable (AnyPublisher<Void, Never>) -> Trigger) {
            self.upstream = upstream
            self.trigger = trigger
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            TriggeredResubscription("RepeatWhen", upstream: upstream, downstream: subscriber) { completion in
                if case .finished = completion { () } else { nil }
            }.start(trigger)
        }
    }
}

extension Operators.RepeatWhen: Sendable where Upstream: Sendable {}
