extension Publisher {
    /// Subscribes to this publisher after a delay.
    ///
    /// ```
    /// ──1──2──|
    ///   delaySubscription(for: .seconds(5), scheduler: queue)
    /// ───────1──2──|          five seconds later, for each subscriber
    /// ```
    ///
    /// The work of a cold publisher begins later. Values that a subject sends during the delay are missed.
    /// ``delay(for:tolerance:scheduler:options:)`` subscribes at once and delivers later.
    ///
    /// **Demand.** The demand of the time before is requested after the delay. Later requests pass through.
    ///
    /// **Completion.** Passes through, also a failure.
    ///
    /// **Cancellation.** Cancels the upstream. During the delay it releases the subscriber and this publisher at once,
    /// and the upstream is never subscribed to.
    ///
    /// **Threads.** The subscription is delivered on the subscribing thread. The upstream is subscribed to on the
    /// scheduler, and values are delivered on the thread on which it sends them.
    ///
    /// - Parameters:
    ///   - interval: The delay, on the scheduler's clock.
    ///   - tolerance: The tolerance of the scheduler, by default the smallest that it has.
    ///   - scheduler: The scheduler to wait and subscribe on.
    ///   - options: The scheduler's options.
    @inlinable
    public func delaySubscription<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
        options: S.SchedulerOptions? = nil
    ) -> Publishers.Concatenate<Publishers.Delay<Empty<Output, Failure>, S>, Self> {
        // An empty publisher only has a completion to delay, and `append` subscribes to this publisher after it.
        Empty().delay(for: interval, tolerance: tolerance, scheduler: scheduler, options: options).append(self)
    }
}
