extension Publisher {
    /// Delivers the values of one subscription to all subscribers, and the newest ones to those who come later.
    ///
    /// ```
    /// ──1──2──3─────|
    ///   share(replay: 1)
    /// A 1──2──3─────|
    /// B ──────2─3───|        comes after 2
    /// C               3|     comes after the end
    /// ```
    ///
    /// This publisher is subscribed to when the first subscriber comes, and asked for everything. When the last one has
    /// cancelled before the end, the subscription is cancelled and what was kept let go of; somebody who comes after
    /// that starts anew. Once the stream has completed, all who come receive what is kept and the completion.
    ///
    /// **Demand.** What a subscriber does not ask for in time it gets later, as long as it is among the values kept.
    ///
    /// **Completion** comes after the values that are kept for the subscriber.
    ///
    /// **Cancellation** of the last subscriber passes through, on the thread that cancels.
    ///
    /// **Threads.** Values kept come on the thread that asks for them, the others on the one that sends them.
    ///
    /// - Parameter count: How many values are kept.
    @inlinable
    @_disfavoredOverload
    public func share(replay count: Int) -> Publishers.ShareReplay<Self> {
        Publishers.ShareReplay(upstream: self, count: count)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/share(replay:)`` makes. It is equal only to itself.
    public final class ShareReplay<Upstream: Publisher>: Publisher, Equatable {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// How many values are kept.
        public let count: Int

        @usableFromInline let source = SharedSource<ReplaySubject<Output, Failure>>()

        /// Makes the publisher; ``Publisher/share(replay:)`` is the usual way to it.
        public init(upstream: Upstream, count: Int) {
            precondition(count >= 0, "there is no negative number of values")
            self.upstream = upstream
            self.count = count
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            source.subscribe(subscriber, to: upstream, as: .shareReplay) { ReplaySubject(bufferSize: count) }
        }

        public static func == (lhs: ShareReplay<Upstream>, rhs: ShareReplay<Upstream>) -> Bool {
            lhs === rhs
        }
    }
}

// Safe because all that changes is behind a lock.
extension Publishers.ShareReplay: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
