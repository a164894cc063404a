extension Publisher {
    /// Turns a value into a publisher, delivers what that publishes, and leaves out the values that come meanwhile.
    ///
    /// ```
    /// ──A─────B──────────C──────────|
    ///   flatMapFirst { $0 == B ? Fail() : ──1──2──| }
    /// ────1──2─────────────1──2─────|
    /// ```
    ///
    /// For a button that is pressed again while its request is under way, say. ``Publisher/flatMapLatest(_:)-6xrim`` is
    /// the opposite; elsewhere this is known as `exhaustMap`.
    ///
    /// **Demand.** This publisher is asked for everything. A subscriber that asks for a number of values makes the
    /// publisher made be asked for one at a time, and that one be kept. A publisher is done with when it has completed
    /// and its values have been delivered.
    ///
    /// **Completion** comes when this publisher and the one made last have completed; a failure of either at once, and
    /// it cancels the other.
    ///
    /// **Cancellation** reaches both, on the thread that cancels.
    ///
    /// **Threads.** Signals come on the thread that sends them, one after the other.
    ///
    /// - Parameter transform: Called with each value that is not left out, on the thread that delivers it.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func flatMapFirst<T, P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Operators.FlatMapFirst<P, Self> where T == P.Output, P.Failure == Failure {
        Operators.FlatMapFirst(upstream: self, transform: transform)
    }

    /// Turns a value into a publisher that cannot fail, and leaves out the values that come while that is under way.
    ///
    /// Otherwise like the form with one type of failure.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func flatMapFirst<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Operators.FlatMapFirst<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
        flatMapFirst(FailureSetting<Output, P, Failure>(transform: transform).apply)
    }
}

extension Publisher where Failure == Never {
    /// Turns a value into a publisher that may fail, and leaves out the values that come while that is under way.
    ///
    /// Otherwise like the form with one type of failure.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func flatMapFirst<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Operators.FlatMapFirst<P, Publishers.SetFailureType<Self, P.Failure>> {
        setFailureType(to: P.Failure.self).flatMapFirst(transform)
    }

    /// Turns a value into a publisher, and leaves out the values that come while that is under way. Nothing of it can
    /// fail.
    ///
    /// Otherwise like the form with one type of failure.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func flatMapFirst<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Operators.FlatMapFirst<P, Self> where P.Failure == Never {
        Operators.FlatMapFirst(upstream: self, transform: transform)
    }
}

extension Operators {
    /// The publisher that `flatMapFirst(_:)` makes.
    public struct FlatMapFirst<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        public typealias Output = NewPublisher.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes a publisher out of a value.
        public let transform: @Sendable (Upstream.Output) -> NewPublisher

        /// Makes the publisher; `flatMapFirst(_:)` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) -> NewPublisher) {
            self.upstream = upstream
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let coordinator = MergeCoordinator("FlatMapFirst", capacity: .unlimited, downstream: subscriber)
            subscriber.receive(subscription: coordinator)
            upstream.subscribe(Outer(coordinator: coordinator, transform: transform))
        }
    }
}

extension Operators.FlatMapFirst: Sendable where Upstream: Sendable {}

extension Operators.FlatMapFirst {
    /// Receives the values that publishers are made from.
    @usableFromInline
    struct Outer<Downstream: Subscriber>: Subscriber
    where Downstream.Input == NewPublisher.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let coordinator: MergeCoordinator<Downstream>
        @usableFromInline let transform: @Sendable (Upstream.Output) -> NewPublisher

        @inlinable
        init(
            coordinator: MergeCoordinator<Downstream>, transform: @escaping @Sendable (Upstream.Output) -> NewPublisher
        ) {
            self.coordinator = coordinator
            self.transform = transform
        }

        @inlinable var combineIdentifier: CombineIdentifier { link.combineIdentifier }
        @usableFromInline var link: UpstreamLink { coordinator.outer }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { link.request(.unlimited) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            // Nobody else opens a inner, so between this and the subscription none comes in between.
            guard link.isActive, !coordinator.hasInners else { return .none }
            coordinator.join(transform(input))
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            // The subscriber has its subscription, so the upstream's own need not have come.
            if link.complete() { coordinator.submit(.outerEnd(completion)) }
        }
    }
}
