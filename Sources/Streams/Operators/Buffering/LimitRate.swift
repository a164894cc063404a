extension Publisher {
    /// Asks for a limited number of values at a time, however many the subscriber wants.
    ///
    /// ```
    ///   limitRate(4)      the subscriber asks for everything
    ///   upstream is asked for 4, for 3 more after 3 values, for 3 more after 3 values, …
    /// ```
    ///
    /// It bounds what a source prepares ahead of its subscriber, for example behind `receive(on:)` or over a network. Nothing is kept
    /// here.
    ///
    /// **Demand.** Never more than `limit` values are outstanding upstream, and never more than the subscriber wants. When three
    /// quarters of them have come, as many are asked for again.
    ///
    /// **Completion and cancellation** pass through.
    ///
    /// **Threads.** Signals come on the thread that sends them.
    ///
    /// - Parameter limit: How many values may be outstanding at a time, at least one.
    @inlinable
    public func limitRate(_ limit: Int) -> Publishers.LimitRate<Self> {
        Publishers.LimitRate(upstream: self, limit: limit)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/limitRate(_:)`` makes.
    public struct LimitRate<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream

        /// How many values may be outstanding at a time.
        public let limit: Int

        /// - Parameter limit: At least one.
        @inlinable
        public init(upstream: Upstream, limit: Int) {
            precondition(limit > 0, "a rate limit must let something through")
            self.upstream = upstream
            self.limit = limit
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, link: RateLink(limit: limit)))
        }
    }
}

extension Publishers.LimitRate: Equatable where Upstream: Equatable {}
extension Publishers.LimitRate: Sendable where Upstream: Sendable {}

extension Publishers.LimitRate {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let link: RateLink

        @inlinable
        init(downstream: Downstream, link: RateLink) {
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
            if link.finish() { downstream.receive(completion: completion) }
        }
    }
}

/// The subscription of `limitRate`: it hands demand on in portions.
@usableFromInline
// Safe because the account is behind a lock.
final class RateLink: UpstreamLink, @unchecked Sendable {
    private struct Account {
        let limit: Int
        /// What the subscriber wants and has not got.
        var wanted = Subscribers.Demand.none
        /// What the upstream was asked for and has not sent.
        var outstanding = 0

        /// How much to ask for now.
        mutating func takePortion() -> Subscribers.Demand {
            guard outstanding <= limit / 4 else { return .none }
            let target = Swift.min(wanted.max ?? limit, limit)
            guard target > outstanding else { return .none }
            defer { outstanding = target }
            return .max(target - outstanding)
        }
    }

    private let account: Locked<Account>

    @usableFromInline
    init(limit: Int) {
        account = Locked(Account(limit: limit))
        super.init("LimitRate")
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        let portion = account.withLock { account in
            account.wanted += demand
            return account.takePortion()
        }
        if portion > .none { super.request(portion) }
    }

    /// Takes a value that was delivered off the account.
    ///
    /// - Returns: What to ask the upstream for.
    @usableFromInline
    func delivered(additional: Subscribers.Demand) -> Subscribers.Demand {
        account.withLock { account in
            account.wanted += additional
            if account.wanted > .none { account.wanted -= 1 }
            if account.outstanding > 0 { account.outstanding -= 1 }
            return account.takePortion()
        }
    }
}
