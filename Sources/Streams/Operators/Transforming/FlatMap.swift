extension Publisher {
    /// Transforms every value into a publisher, and publishes the values of these as they come.
    ///
    /// ```
    /// ──1──────2──────|
    ///   flatMap { [$0, $0 * 10].publisher }
    /// ──1──10──2──20──|
    /// ```
    ///
    /// **Demand.** With unlimited demand all values of every inner publisher are requested. With limited demand one
    /// value at a time is requested from each, and buffered until the subscriber requests it.
    ///
    /// **Completion.** Finishes when this publisher and all inner publishers have finished. A failure of one of them is
    /// delivered at once and cancels the others, unless ``Operators/MergingPublisher/delayingErrors()`` delays it.
    ///
    /// **Cancellation.** Cancels the inner publishers and then this one.
    ///
    /// **Threads.** The values of one inner publisher stay in order. Values that come from several threads at once are
    /// delivered one after the other.
    ///
    /// - Parameters:
    ///   - maxPublishers: The maximum number of inner publishers at a time. As many values are requested, and another one
    ///     when an inner publisher has finished.
    ///   - transform: A closure that creates an inner publisher, called on the thread that delivers the value.
    @preconcurrency
    @inlinable
    public func flatMap<T, P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where T == P.Output, Failure == P.Failure {
        Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
    }

    /// Transforms every value into a publisher that cannot fail.
    ///
    /// Otherwise like ``Publisher/flatMap(maxPublishers:_:)-60vvr``.
    @preconcurrency
    @inlinable
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
        flatMap(maxPublishers: maxPublishers, FailureSetting<Output, P, Failure>(transform: transform).apply)
    }
}

extension Publisher where Failure == Never {
    /// Transforms every value into a publisher that may fail.
    ///
    /// Otherwise like ``Publisher/flatMap(maxPublishers:_:)-60vvr``.
    @preconcurrency
    @inlinable
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
        setFailureType(to: P.Failure.self).flatMap(maxPublishers: maxPublishers, transform)
    }

    /// Transforms every value into a publisher. None of the publishers can fail.
    ///
    /// Otherwise like ``Publisher/flatMap(maxPublishers:_:)-60vvr``.
    @preconcurrency
    @inlinable
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
        Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
    }
}

extension Publishers {
    /// A publisher that transforms every value into a publisher, and publishes the values of these.
    public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Operators.MergingPublisher
    where NewPublisher.Failure == Upstream.Failure {
        public typealias Output = NewPublisher.Output
        public typealias Failure = Upstream.Failure

        /// The publisher of the values that are transformed.
        public let upstream: Upstream

        /// The maximum number of inner publishers at a time.
        public let maxPublishers: Subscribers.Demand

        /// The closure that creates an inner publisher.
        public let transform: @Sendable (Upstream.Output) -> NewPublisher

        /// Creates a publisher that transforms every value into a publisher.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream, maxPublishers: Subscribers.Demand,
            transform: @escaping @Sendable (Upstream.Output) -> NewPublisher
        ) {
            self.upstream = upstream
            self.maxPublishers = maxPublishers
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        public func _merge<S: Subscriber>(into subscriber: S, delayingErrors: Bool)
        where S.Input == Output, S.Failure == Failure {
            let coordinator = MergeCoordinator(
                "FlatMap", maxPublishers: maxPublishers, delaysErrors: delayingErrors, downstream: subscriber)
            // Before anything is subscribed to, as in Combine.
            subscriber.receive(subscription: coordinator)
            upstream.subscribe(Outer(coordinator: coordinator, transform: transform))
        }
    }
}

extension Publishers.FlatMap: Sendable where Upstream: Sendable {}

extension Publishers.FlatMap {
    /// The subscriber of the outer publisher, also that of `flatMapFirst(_:)`.
    @usableFromInline
    struct Outer<Downstream: Subscriber>: Subscriber
    where Downstream.Input == NewPublisher.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let coordinator: MergeCoordinator<Downstream>
        @usableFromInline let transform: @Sendable (Upstream.Output) -> NewPublisher

        /// Whether values are ignored while there is an inner publisher.
        @usableFromInline let isExclusive: Bool

        @inlinable
        init(
            coordinator: MergeCoordinator<Downstream>, transform: @escaping @Sendable (Upstream.Output) -> NewPublisher,
            isExclusive: Bool = false
        ) {
            self.coordinator = coordinator
            self.transform = transform
            self.isExclusive = isExclusive
        }

        @inlinable var combineIdentifier: CombineIdentifier { link.combineIdentifier }
        @inlinable var link: UpstreamLink { coordinator.outer }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { link.request(coordinator.maxPublishers) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive, !isExclusive || !coordinator.hasInners else { return .none }
            let publisher = transform(input)
            if let outcome = publisher._knownOutcome, coordinator.deliver(outcome) {
                return coordinator.maxPublishers == .unlimited ? .none : .max(1)
            }
            coordinator.subscribe(to: publisher)
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.complete() { coordinator.submit(.outerCompletion(completion)) }
        }
    }
}

/// Creates a publisher from a value and sets its failure type. `@Sendable` closures must not capture the type.
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
