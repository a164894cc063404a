extension Publisher {
    /// Asks for a limited number of values at a time, however many the subscriber wants.
    ///
    /// ```
    ///   limitRate(4)      the subscriber asks for everything
    ///   upstream is asked for 4, for 3 more after 3 values, for 3 more after 3 values, …
    /// ```
    ///
    /// It bounds what a source prepares ahead of its subscriber, for example behind `receive(on:)` or over a network.
    /// Nothing is kept here.
    ///
    /// **Demand.** Never more than `limit` values are outstanding upstream, and never more than the subscriber wants.
    /// When three quarters of them have come, as many are asked for again.
    ///
    /// **Completion and cancellation** pass through.
    ///
    /// **Threads.** Signals come on the thread that sends them.
    ///
    /// - Parameter limit: How many values may be outstanding at a time, at least one.
    @inlinable
    public func limitRate(_ limit: Int) -> Operators.LimitRate<Self> {
        Operators.LimitRate(upstream: self, limit: limit)
    }
}

extension Operators {
    /// The publisher that ``Publisher/limitRate(_:)`` makes.
    public struct LimitRate<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// How many values may be outstanding at a time.
        public let limit: Int

        /// The `limit` is at least one.
        @inlinable
        public init(upstream: Upstream, limit: Int) {
            precondition(limit > 0, "a rate limit must let something through")
            self.upstream = upstream
            self.limit = limit
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let link = RateLimitedLink("LimitRate", limit: limit, refillsBelow: limit / 4 + 1)
            upstream.subscribe(Inner(downstream: subscriber, link: link))
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
        @usableFromInline let link: RateLimitedLink

        @inlinable
        init(downstream: Downstream, link: RateLimitedLink) {
            self.downstream = downstream
            self.link = link
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            return link.delivered(additional: downstream.receive(input))
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.complete() { downstream.receive(completion: completion) }
        }
    }
}
