extension Publisher {
    /// Requests a limited number of values at a time, whatever the subscriber requests.
    ///
    /// ```
    ///   limitRate(4)      the subscriber requests all values
    ///   requests 4 values, 3 more after 3 values, 3 more after 3 values, …
    /// ```
    ///
    /// It limits the values that a source prepares ahead, for example behind `receive(on:)`. It buffers nothing.
    ///
    /// **Demand.** At most `limit` values are outstanding, and at most as many as the subscriber has requested. When three
    /// quarters of them have arrived, as many are requested again.
    ///
    /// **Completion and cancellation** pass through.
    ///
    /// **Threads.** Signals come on the thread that sends them.
    ///
    /// - Parameter limit: The largest number of outstanding values, at least one.
    @inlinable
    public func limitRate(_ limit: Int) -> Operators.LimitRate<Self> {
        Operators.LimitRate(upstream: self, limit: limit)
    }
}

extension Operators {
    /// A publisher that limits the number of outstanding values.
    public struct LimitRate<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The largest number of outstanding values.
        public let limit: Int

        /// Creates the publisher of ``Publisher/limitRate(_:)``. The limit is at least one.
        @inlinable
        public init(upstream: Upstream, limit: Int) {
            precondition(limit > 0, "the limit must be at least one")
            self.upstream = upstream
            self.limit = limit
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, limit: limit))
        }
    }
}

extension Operators.LimitRate: Equatable where Upstream: Equatable {}
extension Operators.LimitRate: Sendable where Upstream: Sendable {}

extension Operators.LimitRate {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let link: LimitRateLink

        @inlinable
        init(downstream: Downstream, limit: Int) {
            self.downstream = downstream
            link = LimitRateLink(limit: limit)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            return link.rate.countDelivery(additional: downstream.receive(input))
        }
    }
}

@usableFromInline
// Safe because the rate limit is.
final class LimitRateLink: UpstreamLink, @unchecked Sendable {
    @usableFromInline let rate: RateLimit

    @usableFromInline
    init(limit: Int) {
        rate = RateLimit(limit: limit, refillsBelow: limit / 4 + 1)
        super.init("LimitRate")
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        super.request(rate.add(demand))
    }
}
