extension Publisher {
    /// Subscribes to this publisher again where it fails.
    ///
    /// ```
    /// ──1──✕ E   ──1──2──|
    ///   retry(1)
    /// ──1──────────1──2──|
    /// ```
    ///
    /// Values of the failed attempts are delivered too. Demand that an attempt left unanswered is passed on to the next
    /// one. The stack does not grow with the attempts, even if all of them fail at once. An attempt begins on the
    /// thread on which the one before failed. Cancellation reaches the current attempt, and there is no other.
    ///
    /// - Parameter retries: How often to subscribe again at most. The failure after the last attempt is delivered. A
    ///   negative number is as often as it takes, as in Combine.
    @inlinable
    public func retry(_ retries: Int) -> Publishers.Retry<Self> {
        Publishers.Retry(upstream: self, retries: retries)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/retry(_:)`` makes.
    public struct Retry<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// How often to subscribe again at most, nil for as often as it takes.
        public let retries: Int?

        /// With nil for `retries` there are as many as it takes.
        @inlinable
        public init(upstream: Upstream, retries: Int?) {
            self.upstream = upstream
            self.retries = retries
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let rule = CountedAttempts<Failure>(after: .failures, times: retries)
            Attempts(.retry, upstream: upstream, rule: rule, downstream: subscriber).subscribe()
        }
    }
}

extension Publishers.Retry: Equatable where Upstream: Equatable {}
extension Publishers.Retry: Sendable where Upstream: Sendable {}
