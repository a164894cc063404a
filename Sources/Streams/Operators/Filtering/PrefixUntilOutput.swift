extension Publisher {
    /// Publishes values until another publisher publishes one, and finishes.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   prefix(untilOutputFrom: ─────a──|)
    /// ──1──2|
    /// ```
    ///
    /// The other publisher is subscribed to before this one.
    ///
    /// **Demand.** Passes through. One value is requested of the other publisher.
    ///
    /// **Completion.** The first value of the other publisher finishes the stream and cancels both publishers. A
    /// completion of the other publisher is ignored. A completion of this one passes through.
    ///
    /// **Cancellation.** Cancels both publishers.
    ///
    /// **Threads.** Values are delivered on the thread on which the upstream sends them. The other publisher may send its
    /// value on any thread: a value that is being delivered at that time precedes the completion.
    ///
    /// - Parameter publisher: The publisher whose first value ends the stream.
    @inlinable
    public func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
        Publishers.PrefixUntilOutput(upstream: self, other: publisher)
    }
}

extension Publishers {
    /// A publisher that ends when another one publishes a value. See ``Publisher/prefix(untilOutputFrom:)``.
    public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The publisher whose first value ends the stream.
        public let other: Other

        /// Creates a publisher that publishes the values of its upstream until another publisher publishes one.
        @inlinable
        public init(upstream: Upstream, other: Other) {
            self.upstream = upstream
            self.other = other
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let coordinator = UntilOutputCoordinator("PrefixUntilOutput", deliversValues: true, downstream: subscriber)
            // Before the trigger, which may end the stream at once.
            subscriber.receive(subscription: coordinator.link)
            other.subscribe(
                TriggerSubscriber<Other.Output, Other.Failure>(
                    coordinator.trigger, onValue: { coordinator.complete(.finished) }, onCompletion: { _ in }))
            upstream.subscribe(UntilOutputSubscriber(coordinator))
        }
    }
}

extension Publishers.PrefixUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}
