extension Operators.MergingPublisher {
    /// Delivers a failure of one of the merged publishers when the others have completed.
    ///
    /// ```
    /// [──1──✕ E, ────2────3──|].merge().delayingErrors()
    /// ──1─2────3──✕ E
    /// ```
    ///
    /// So a failure ends none of the other publishers. This follows `merge`, `flatMap` and `concatMap` in all their
    /// forms. `concatMap` continues with the next publisher after one that has failed.
    ///
    /// ```swift
    /// mirrors.merge().delayingErrors()
    /// orders.flatMap(maxPublishers: .max(4)) { ship($0) }.delayingErrors()
    /// ```
    ///
    /// **Demand.** As without it. A failure needs no demand, but follows the values that are buffered.
    ///
    /// **Completion.** The stream completes when all publishers have, for `flatMap` also the one of the values that it
    /// transforms. If some have failed, the failure that came first is delivered, and the others are dropped:
    /// `handleEvents(receiveCompletion:)` on each publisher shows them all. If one never completes, no failure is
    /// delivered.
    ///
    /// **Cancellation.** Cancels all publishers, and drops the failure.
    ///
    /// **Threads.** The failure is delivered on the thread on which the last publisher completes, or on which the last
    /// buffered value is requested.
    @inlinable
    public func delayingErrors() -> Operators.DelayingErrors<Self> {
        Operators.DelayingErrors(upstream: self)
    }
}

extension Operators {
    /// A publisher that merges others, and whose failure waits until all of them have completed. See
    /// ``MergingPublisher/delayingErrors()``.
    public struct DelayingErrors<Upstream: MergingPublisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that merges others.
        public let upstream: Upstream

        /// Creates a publisher that delays the failures of the publishers that another one merges.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream._merge(into: subscriber, delayingErrors: true)
        }
    }
}

extension Operators.DelayingErrors: Equatable where Upstream: Equatable {}
extension Operators.DelayingErrors: Sendable where Upstream: Sendable {}
