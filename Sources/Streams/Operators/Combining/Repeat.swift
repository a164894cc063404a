extension Publisher {
    /// Subscribes to this publisher again where it finishes.
    ///
    /// ```
    /// ──1──2──|  ──1──2──|
    ///   repeat(1)
    /// ──1──2───────1──2──|
    /// ```
    ///
    /// **Demand** that one round left unanswered is passed on to the next one. The stack does not grow with the rounds,
    /// even if all of them finish at once.
    ///
    /// **Completion.** The end of the last round, or the first failure.
    ///
    /// **Cancellation** reaches the current round, and there is no other.
    ///
    /// **Threads.** A round begins on the thread on which the one before finished.
    ///
    /// - Parameter times: How often to subscribe again, without end if nil.
    @inlinable
    public func `repeat`(_ times: Int? = nil) -> Operators.Repeat<Self> {
        Operators.Repeat(upstream: self, times: times)
    }
}

extension Operators {
    /// The publisher that ``Publisher/repeat(_:)`` makes.
    public struct Repeat<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// How often to subscribe again, nil for ever.
        public let times: Int?

        /// Subscribes again `times` times, or for ever if that is nil.
        @inlinable
        public init(upstream: Upstream, times: Int?) {
            self.upstream = upstream
            self.times = times
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let rule = CountedRule<Failure>(after: .ends, times: times)
            Resubscription("Repeat", upstream: upstream, rule: rule, downstream: subscriber).subscribe()
        }
    }
}

extension Operators.Repeat: Equatable where Upstream: Equatable {}
extension Operators.Repeat: Sendable where Upstream: Sendable {}
