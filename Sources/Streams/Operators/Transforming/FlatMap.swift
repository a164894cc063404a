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
            subscriber.receive(subscription: outer.coordinator)
            upstream.subscribe(outer)
        }
    }
}

extension Publishers.FlatMap: Sendable where Upstream: Sendable {}

extension Publishers.FlatMap {
    /// Receives the values that publishers are made from.
    @usableFromInline
    struct Outer<Downstream: Subscriber>: Subscriber
    where Downstream.Input == NewPublisher.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let transform: @Sendable (Upstream.Output) -> NewPublisher
        @usableFromInline let coordinator: MergeCoordinator<Downstream>

        @inlinable
        init(
            downstream: Downstream,
            maxPublishers: Subscribers.Demand,
            transform: @escaping @Sendable (Upstream.Output) -> NewPublisher
        ) {
            self.transform = transform
            coordinator = MergeCoordinator("FlatMap", capacity: maxPublishers, downstream: downstream)
        }

        @inlinable var combineIdentifier: CombineIdentifier { link.combineIdentifier }
        @usableFromInline var link: UpstreamLink { coordinator.outer }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { link.request(coordinator.capacity) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            let publisher = transform(input)
            if let inner = coordinator.open() {
                publisher.subscribe(InnerSubscriber(inner: inner, coordinator: coordinator))
            }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            // The subscriber has its subscription, so the upstream's own need not have come.
            if link.complete() { coordinator.submit(.outerEnd(completion)) }
        }
    }
}

// `flatMap` where only one of the two, the publisher of values or those made from them, can fail, or neither can.

extension Publisher where Failure == Never {
    /// Turns every value into a publisher that may fail, and delivers what those publish as it comes.
    ///
    /// Otherwise like ``Publisher/flatMap(maxPublishers:_:)-60vvr``.
    @preconcurrency
    @inlinable
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited,
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
        setFailureType(to: P.Failure.self).flatMap(maxPublishers: maxPublishers, transform)
    }

    /// Turns every value into a publisher, and delivers what those publish as it comes. Nothing of it can fail.
    ///
    /// Otherwise like ``Publisher/flatMap(maxPublishers:_:)-60vvr``.
    @preconcurrency
    @inlinable
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited,
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
        Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
    }
}

extension Publisher {
    /// Turns every value into a publisher that cannot fail, and delivers what those publish as it comes.
    ///
    /// Otherwise like ``Publisher/flatMap(maxPublishers:_:)-60vvr``.
    @preconcurrency
    @inlinable
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited,
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
        flatMap(maxPublishers: maxPublishers, FailureSetting<Output, P, Failure>(transform: transform).apply)
    }
}

/// Makes a publisher out of a value and sets its failure type.
@usableFromInline
struct FailureSetting<Input, P: Publisher, Failure: Error>: Sendable where P.Failure == Never {
    @usableFromInline let transform: @Sendable (Input) -> P

    @inlinable
    init(transform: @escaping @Sendable (Input) -> P) {
        self.transform = transform
    }

    @inlinable
    func apply(_ input: Input) -> Publishers.SetFailureType<P, Failure> {
        transform(input).setFailureType(to: Failure.self)
    }
}
