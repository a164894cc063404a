extension Publisher where Output: Publisher, Output.Failure == Failure {
    /// Delivers the values of the newest of the publishers that this one delivers.
    ///
    /// ```
    /// ──A───────────B───────────|
    ///   A: ──1──2──3──4──
    ///               B: ──8──9──|
    ///   switchToLatest()
    /// ─────1──2──3──────8──9────|
    /// ```
    ///
    /// A new publisher makes the one before be cancelled. All publishers are taken from upstream at once; the newest is
    /// asked for what the subscriber has asked for and not yet received. So of one that waits for demand, what has not
    /// been asked for when it is replaced does not come, not to ``Publisher/values-156lz`` either; one that does not
    /// wait, such as a subject, is asked by that for all it has.
    ///
    /// The stream completes when this publisher and the newest one have completed, and fails as soon as one of the two
    /// does. Cancellation reaches both, on the thread that cancels. Values of a publisher that has been replaced are
    /// not delivered any more, except for one whose delivery has begun.
    @inlinable
    public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
        Publishers.SwitchToLatest(upstream: self)
    }
}

extension Publisher where Output: Publisher, Failure == Never {
    /// Delivers the values of the newest of the publishers that this one delivers, which may fail.
    ///
    /// Otherwise like `switchToLatest()` of publishers with one type of failure.
    @inlinable
    public func switchToLatest()
        -> Publishers.SwitchToLatest<Output, Publishers.SetFailureType<Self, Output.Failure>>
    {
        setFailureType(to: Output.Failure.self).switchToLatest()
    }
}

extension Publisher where Output: Publisher, Failure == Never, Output.Failure == Never {
    /// Delivers the values of the newest of the publishers that this one delivers. Nothing of it can fail.
    ///
    /// Otherwise like `switchToLatest()` of publishers with one type of failure.
    @inlinable
    public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
        Publishers.SwitchToLatest(upstream: self)
    }
}

extension Publisher where Output: Publisher, Output.Failure == Never {
    /// Delivers the values of the newest of the publishers that this one delivers, which cannot fail.
    ///
    /// Otherwise like `switchToLatest()` of publishers with one type of failure.
    @inlinable
    public func switchToLatest()
        -> Publishers.SwitchToLatest<
            Publishers.SetFailureType<Output, Failure>,
            Publishers.Map<Self, Publishers.SetFailureType<Output, Failure>>
        >
    {
        map(NestedFailureSetting<Output, Failure>().apply).switchToLatest()
    }
}

/// Sets the failure type of a publisher that cannot fail.
@usableFromInline
struct NestedFailureSetting<Nested: Publisher, Failure: Error>: Sendable where Nested.Failure == Never {
    @inlinable
    init() {}

    @inlinable
    func apply(_ nested: Nested) -> Publishers.SetFailureType<Nested, Failure> {
        nested.setFailureType(to: Failure.self)
    }
}

extension Publishers {
    /// The publisher that `switchToLatest()` makes.
    public struct SwitchToLatest<P: Publisher, Upstream: Publisher>: Publisher
    where Upstream.Output == P, Upstream.Failure == P.Failure {
        public typealias Output = P.Output
        public typealias Failure = P.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes the publisher; `switchToLatest()` is the usual way to it.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let outer = Outer(downstream: subscriber)
            subscriber.receive(subscription: outer)
            upstream.subscribe(outer)
        }
    }
}

extension Publishers.SwitchToLatest: Equatable where Upstream: Equatable {}
extension Publishers.SwitchToLatest: Sendable where Upstream: Sendable {}

extension Publishers.SwitchToLatest {
    /// Receives the publishers, and is the subscription handed downstream.
    @usableFromInline
    final class Outer<Downstream: Subscriber>: Subscriber, NamedSubscription, BackpressureTraits
    where Downstream.Input == P.Output, Downstream.Failure == P.Failure {
        @usableFromInline let link = UpstreamLink()
        @usableFromInline let coordinator: SwitchCoordinator<Downstream>

        @inlinable
        init(downstream: Downstream) {
            coordinator = SwitchCoordinator(outer: link, downstream: downstream)
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { subscription.request(.unlimited) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive, let inner = coordinator.open() else { return .none }
            input.subscribe(Side(inner: inner, outer: self))
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            // The subscriber has its subscription, so the upstream's own need not have come.
            guard link.complete() else { return }
            if case .failure = completion { coordinator.cancelInner() }
            coordinator.submit(.outerEnd(completion))
        }

        @inlinable
        func request(_ demand: Subscribers.Demand) {
            guard demand > .none else { return }
            coordinator.add(demand)?.request(demand)
        }

        @inlinable
        func cancel() {
            coordinator.close()
            link.cancel()
            coordinator.submit(.cancellation)
        }

        /// Those that do so are asked for all they have by `keepUnrequestedValues()`, the others for what is wanted.
        @usableFromInline var dropsUnrequestedValues: Bool { false }

        @usableFromInline
        func keepUnrequestedValues() {
            coordinator.keepUnrequestedValues()?.keepUnrequestedValues()
        }

        @usableFromInline var description: String { "SwitchToLatest" }
    }

    /// Receives the values of one publisher.
    @usableFromInline
    struct Side<Downstream: Subscriber>: Subscriber
    where Downstream.Input == P.Output, Downstream.Failure == P.Failure {
        @usableFromInline let inner: UpstreamLink
        @usableFromInline let outer: Outer<Downstream>

        @inlinable
        init(inner: UpstreamLink, outer: Outer<Downstream>) {
            self.inner = inner
            self.outer = outer
        }

        @inlinable var combineIdentifier: CombineIdentifier { inner.combineIdentifier }

        @inlinable
        func receive(subscription: any Subscription) {
            guard inner.attach(subscription) else { return }
            let (demand, keepsUnrequestedValues) = outer.coordinator.connect(inner)
            if demand > .none { inner.request(demand) }
            if keepsUnrequestedValues { inner.keepUnrequestedValues() }
        }

        @inlinable
        func receive(_ input: P.Output) -> Subscribers.Demand {
            inner.isActive ? outer.coordinator.accept(input, from: inner) : .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<P.Failure>) {
            guard inner.complete() else { return }
            outer.coordinator.submit(.end(completion, inner))
        }
    }
}
