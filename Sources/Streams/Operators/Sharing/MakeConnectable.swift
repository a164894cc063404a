extension Publisher where Failure == Never {
    /// Delivers the values of one subscription to all subscribers, beginning with `connect()`.
    ///
    /// ```
    ///      connect()
    /// ────────1──2──3──|
    ///   makeConnectable()
    /// A ──────1──2──3──|
    /// B ──────1──2──3──|
    /// ```
    ///
    /// **Demand.** All values are requested once a subscriber has requested any. A subscriber misses values that were
    /// sent before it subscribed, or for which it had no demand.
    ///
    /// **Completion** is delivered to all subscribers.
    ///
    /// **Cancellation.** Ends the subscription of one subscriber. To cancel the upstream, cancel the result of
    /// `connect()`.
    ///
    /// **Threads.** Signals are delivered on the thread on which the upstream sends them.
    @inlinable
    public func makeConnectable() -> Publishers.MakeConnectable<Self> {
        Publishers.MakeConnectable(upstream: self)
    }
}

extension Publishers {
    /// A publisher that delivers the values of one subscription to all subscribers once it is connected. See
    /// ``Publisher/makeConnectable()``.
    public struct MakeConnectable<Upstream: Publisher>: ConnectablePublisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        @usableFromInline let multicast: Multicast<Upstream, PassthroughSubject<Output, Failure>>

        /// Creates the publisher of ``Publisher/makeConnectable()``.
        @inlinable
        public init(upstream: Upstream) {
            multicast = upstream.multicast(subject: PassthroughSubject())
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            multicast.subscribe(subscriber)
        }

        @inlinable
        public func connect() -> any Cancellable {
            multicast.connect()
        }
    }
}

extension Publishers.MakeConnectable: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
