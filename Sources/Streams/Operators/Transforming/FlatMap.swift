extension Publisher {
    /// Turns every value into a publisher, and delivers what those publish as it comes.
    ///
    /// ```
    /// ──1──────2──────|
    ///   flatMap { [$0, $0 * 10].publisher }
    /// ──1──10──2──20──|
    /// ```
    ///
    /// **Demand.** A subscriber that asks for everything gets it without delay: each publisher is asked for everything.
    /// One that asks for a number of values makes each publisher be asked for one at a time, and at most that one be
    /// kept.
    ///
    /// **Completion** comes when this publisher and all those made from its values have completed, and a failure as
    /// soon as one of them fails, which cancels the others.
    ///
    /// **Cancellation** reaches all of them, on the thread that cancels.
    ///
    /// **Threads.** The values of one publisher stay in order; values that come at once from several threads are
    /// delivered one after the other.
    ///
    /// - Parameters:
    ///   - maxPublishers: How many publishers are subscribed to at a time at most: as many values are asked for, and
    ///     another one whenever a publisher has completed.
    ///   - transform: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func flatMap<T, P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited,
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where T == P.Output, Failure == P.Failure {
        Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/flatMap(maxPublishers:_:)-60vvr`` makes.
    public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        public typealias Output = NewPublisher.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// How many publishers are subscribed to at a time at most.
        public let maxPublishers: Subscribers.Demand

        /// Makes a publisher out of a value.
        public let transform: @Sendable (Upstream.Output) -> NewPublisher

        /// Makes the publisher; ``Publisher/flatMap(maxPublishers:_:)-60vvr`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream,
            maxPublishers: Subscribers.Demand,
            transform: @escaping @Sendable (Upstream.Output) -> NewPublisher
        ) {
            self.upstream = upstream
            self.maxPublishers = maxPublishers
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let outer = Outer(downstream: subscriber, maxPublishers: maxPublishers, transform: transform)
            // As with Combine the subscriber has its subscription before anything is subscribed to.
            subscriber.receive(subscription: outer.confluence)
            upstream.subscribe(outer)
        }
    }
}

extension Publishers.FlatMap: Sendable where Upstream: Sendable {}

extension Publishers.FlatMap {
    /// Receives the values that publishers are made from.
    @usableFromInline
    struct Outer<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == NewPublisher.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let transform: @Sendable (Upstream.Output) -> NewPublisher
        @usableFromInline let confluence: Confluence<Downstream>

        @inlinable
        init(
            downstream: Downstream,
            maxPublishers: Subscribers.Demand,
            transform: @escaping @Sendable (Upstream.Output) -> NewPublisher
        ) {
            self.transform = transform
            confluence = Confluence(.flatMap, capacity: maxPublishers, downstream: downstream)
        }

        @usableFromInline var link: UpstreamLink { confluence.outer }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { link.request(confluence.capacity) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            let publisher = transform(input)
            if let tributary = confluence.open() {
                publisher.subscribe(TributarySubscriber(tributary: tributary, confluence: confluence))
            }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            // The subscriber has its subscription, so the upstream's own need not have come.
            if link.finishOpen() { confluence.submit(.outerEnd(completion)) }
        }
    }
}
