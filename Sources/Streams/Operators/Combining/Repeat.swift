extension Publisher {
    /// Subscribes to this publisher again when it finishes.
    ///
    /// ```
    /// ──1──2──|  ──1──2──|
    ///   repeat(1)
    /// ──1──2───────1──2──|
    /// ```
    ///
    /// The stack does not grow with the rounds, even if all of them finish at once.
    ///
    /// **Demand.** The demand that one round leaves unanswered is requested from the next one.
    ///
    /// **Completion.** Finishes with the last round. A failure is delivered at once.
    ///
    /// **Cancellation.** Cancels the current round.
    ///
    /// **Threads.** A round begins on the thread on which the previous one finishes.
    ///
    /// - Parameter times: The number of further rounds. Without end if nil or negative.
    @inlinable
    public func `repeat`(_ times: Int? = nil) -> Operators.Repeat<Self> {
        Operators.Repeat(upstream: self, times: times)
    }
}

extension Operators {
    /// A publisher that subscribes to its upstream again when that finishes.
    public struct Repeat<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that is subscribed to in each round.
        public let upstream: Upstream

        /// The number of further rounds. Without end if nil or negative.
        public let times: Int?

        /// Creates a publisher that subscribes to another one again when that finishes.
        @inlinable
        public init(upstream: Upstream, times: Int?) {
            self.upstream = upstream
            self.times = times
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            Resubscription("Repeat", upstream: upstream, downstream: subscriber, limit: times) {
                completion, round, times in
                guard case .finished = completion else { return .complete }
                return .subscribe(again: round, upTo: times)
            }.subscribe()
        }
    }
}

extension Operators.Repeat: Equatable where Upstream: Equatable {}
extension Operators.Repeat: Sendable where Upstream: Sendable {}
