extension Publisher where Failure == Never {
    /// The values of this publisher, to be awaited one after another, with a say in how many are kept until then.
    ///
    /// ```swift
    /// for await position in positions.values(buffering: .bufferingNewest(1)) { await draw(position) }
    /// ```
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   values(buffering: .bufferingNewest(1))       next() is called after 1 and after 3
    ///   1        3     4
    /// ```
    ///
    /// Without a policy, ``values-2iy2q`` loses nothing and asks a source that waits for demand one by one.
    ///
    /// **Demand.** The publisher is asked for everything at once. What comes before it is awaited is kept as the policy
    /// says.
    ///
    /// **Completion** comes after the values that are kept.
    ///
    /// **Cancellation** of the awaiting task, or letting go of the iterator, cancels the subscription.
    ///
    /// **Threads.** Values may arrive on any thread; the awaiting task goes on wherever it belongs.
    ///
    /// - Parameter policy: How many values are kept, and which.
    public func values(
        buffering policy: AsyncStream<Output>.Continuation.BufferingPolicy
    ) -> AsyncPublisher<Publishers.Backpressure<Self>> {
        AsyncPublisher(onBackpressureBuffer(policy))
    }
}

extension Publisher {
    /// The values of this publisher, to be awaited one after another, and its failure, thrown, with a say in how many
    /// values are kept until then.
    ///
    /// ```
    /// ──1──2──3──✕ E
    ///   values(buffering: .bufferingOldest(1))       next() is called after 1 and after 3
    ///   1        2     throws E
    /// ```
    ///
    /// Demand, completion, cancellation and threads are those of the form for publishers that cannot fail.
    ///
    /// - Parameter policy: How many values are kept, and which.
    public func values(
        buffering policy: AsyncStream<Output>.Continuation.BufferingPolicy
    ) -> AsyncThrowingPublisher<Publishers.Backpressure<Self>> {
        AsyncThrowingPublisher(onBackpressureBuffer(policy))
    }

    private func onBackpressureBuffer(
        _ policy: AsyncStream<Output>.Continuation.BufferingPolicy
    ) -> Publishers.Backpressure<Self> {
        switch policy {
        case .bufferingOldest(let limit): onBackpressureBuffer(limit: limit, whenFull: .dropNewest)
        case .bufferingNewest(let limit): onBackpressureBuffer(limit: limit, whenFull: .dropOldest)
        case .unbounded: onBackpressureBuffer()
        @unknown default: onBackpressureBuffer()
        }
    }
}
