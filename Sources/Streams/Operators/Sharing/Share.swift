extension Publisher {
    /// Delivers the values of one subscription to all subscribers.
    ///
    /// ```
    /// ──1──2──3──|
    ///   share()
    /// A 1──2──3──|
    /// B ───2──3──|
    /// ```
    ///
    /// This publisher is subscribed to when the first subscriber comes, and asked for everything. When the last one has
    /// cancelled before the end, the subscription is cancelled; somebody who comes after that starts a new one, and
    /// gets nothing of the old one. Once the stream has completed, all who come receive the completion.
    ///
    /// **Demand.** A subscriber misses values that came before it, or for which it had no demand.
    ///
    /// **Completion** comes to all.
    ///
    /// **Cancellation** of the last subscriber passes through, on the thread that cancels.
    ///
    /// **Threads.** Signals come on the thread that the upstream sends them on.
    @inlinable
    public func share() -> Publishers.Share<Self> {
        Publishers.Share(upstream: self)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/share()`` makes. It is equal only to itself.
    public final class Share<Upstream: Publisher>: Publisher, Equatable {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream
        @usableFromInline let source = SharedSource<PassthroughSubject<Output, Failure>>()

        /// Makes the publisher; ``Publisher/share()`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            // Combine's name for what subscribers get.
            source.subscribe(subscriber, to: upstream, as: .multicast) { PassthroughSubject() }
        }

        public static func == (lhs: Publishers.Share<Upstream>, rhs: Publishers.Share<Upstream>) -> Bool {
            lhs === rhs
        }
    }
}

// Safe because all that changes is behind a lock.
extension Publishers.Share: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
