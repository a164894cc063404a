extension Publisher {
    /// Drops values until another publisher publishes one.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   drop(untilOutputFrom: ─────a──|)
    /// ────────3──4──|
    /// ```
    ///
    /// The other publisher is subscribed to before this one. Its first value starts the stream and cancels it.
    ///
    /// **Demand.** Passes through. Dropped values are replaced by requesting others. One value is requested of the other
    /// publisher.
    ///
    /// **Completion.** Passes through. If the other publisher completes without a value, the stream completes in the same
    /// way, and this publisher is cancelled.
    ///
    /// **Cancellation.** Cancels both publishers.
    ///
    /// **Threads.** Values are delivered on the upstream's thread. The other publisher may use any thread.
    ///
    /// - Parameter publisher: The publisher whose first value starts the stream.
    @inlinable
    public func drop<P: Publisher>(
        untilOutputFrom publisher: P
    ) -> Publishers.DropUntilOutput<Self, P> where Failure == P.Failure {
        Publishers.DropUntilOutput(upstream: self, other: publisher)
    }
}

extension Publishers {
    /// A publisher that drops values until another one publishes one. See ``Publisher/drop(untilOutputFrom:)``.
    public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
    where Upstream.Failure == Other.Failure {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The publisher whose first value starts the stream.
        public let other: Other

        /// Creates a publisher that drops the values of its upstream until another publisher publishes one.
        @inlinable
        public init(upstream: Upstream, other: Other) {
            self.upstream = upstream
            self.other = other
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let coordinator = UntilOutputCoordinator("DropUntilOutput", deliversValues: false, downstream: subscriber)
            // Before the upstream's, which may come later.
            subscriber.receive(subscription: coordinator.link)
            other.subscribe(
                TriggerSubscriber<Other.Output, Other.Failure>(
                    coordinator.trigger,
                    onValue: {
                        coordinator.deliversValues = true
                        coordinator.trigger.cancel()
                    },
                    onCompletion: coordinator.complete))
            upstream.subscribe(UntilOutputSubscriber(coordinator))
        }
    }
}

extension Publishers.DropUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}
extension Publishers.DropUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}
