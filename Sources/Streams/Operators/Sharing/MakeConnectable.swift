extension Publisher where Failure == Never {
    /// Delivers the values of one subscription to all subscribers, from `connect()` on.
    ///
    /// ```
    ///      connect()
    /// ────────1──2──3──|
    ///   makeConnectable()
    /// A ──────1──2──3──|
    /// B ──────1──2──3──|
    /// ```
    ///
    /// **Demand.** Everything is asked for as soon as a subscriber asks for anything. A subscriber misses values that
    /// came before it, or for which it had no demand.
    ///
    /// **Completion** comes to all.
    ///
    /// **Cancellation** ends the subscription of one subscriber; what `connect()` returned cancels the one upstream.
    ///
    /// **Threads.** Signals come on the thread that the upstream sends them on.
    @inlinable
    public func makeConnectable() -> Publishers.MakeConnectable<Self> {
        Publishers.MakeConnectable(upstream: self)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/makeConnectable()`` makes.
    public struct MakeConnectable<Upstream: Publisher>: ConnectablePublisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        @usableFromInline let multicast: Multicast<Upstream, PassthroughSubject<Output, Failure>>

        /// Makes the publisher; ``Publisher/makeConnectable()`` is the usual way to it.
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
