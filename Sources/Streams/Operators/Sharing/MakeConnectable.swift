extension Publisher where Failure == Never {
    /// Publishes the values of one upstream subscription to all subscribers, once it is connected.
    ///
    /// ```
    ///      connect()
    /// ────────1──2──3──|
    ///   makeConnectable()
    /// A ──────1──2──3──|
    /// B ──────1──2──3──|
    /// ```
    ///
    /// **Demand.** All values are requested once a subscriber requests any. A subscriber misses values without demand.
    ///
    /// **Completion.** All subscribers receive the completion.
    ///
    /// **Cancellation.** A subscriber cancels only its subscription. Cancelling the connection cancels the upstream.
    ///
    /// **Threads.** Signals arrive on the upstream's thread.
    @inlinable
    public func makeConnectable() -> Publishers.MakeConnectable<Self> {
        Publishers.MakeConnectable(upstream: self)
    }
}

extension Publishers {
    /// A publisher that delivers one upstream subscription to all subscribers, once it is connected.
    public struct MakeConnectable<Upstream: Publisher>: ConnectablePublisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        @usableFromInline let multicast: Multicast<Upstream, PassthroughSubject<Output, Failure>>

        /// Creates a publisher; ``Publisher/makeConnectable()`` does the same.
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

extension Publishers.MakeConnectable: StagedConnectable {
    @usableFromInline
    func connect(_ willConnect: (any Cancellable) -> Void) {
        multicast.connect(willConnect)
    }
}

extension Publishers.MakeConnectable: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
