extension Publisher {
    /// Passes on the first value, and finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   first()
    /// ──1|
    /// ```
    ///
    /// The upstream is asked for everything at once and cancelled when a value has come, which is kept until the subscriber asks
    /// for it. An upstream without values completes the stream without one.
    @inlinable
    public func first() -> Publishers.First<Self> {
        Publishers.First(upstream: self)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/first()`` makes.
    public struct First<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream

        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber))
        }
    }
}

extension Publishers.First: Equatable where Upstream: Equatable {}
extension Publishers.First: Sendable where Upstream: Sendable {}

extension Publishers.First {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let outcome: OneShotSubscription<Downstream>
        @usableFromInline let link = UpstreamLink("First")

        @inlinable
        init(downstream: Downstream) {
            self.downstream = downstream
            outcome = OneShotSubscription("First", downstream: downstream)
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard link.attach(subscription) else { return }
            downstream.receive(subscription: Handle(outcome: outcome, link: link))
            // Not only what the subscriber asks for: a subject would drop the first value meanwhile.
            if link.isActive { link.request(.unlimited) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            if link.cancelUpstream() { outcome.resolve(.value(input)) }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.finish() { outcome.resolve(.end(completion)) }
        }
    }

    /// The subscription handed downstream: demand goes to the value that is kept, cancellation to the upstream as well.
    @usableFromInline
    final class Handle<Downstream: Subscriber>: Subscription, CustomStringConvertible, CustomReflectable,
        CustomPlaygroundDisplayConvertible
    {
        @usableFromInline let outcome: OneShotSubscription<Downstream>
        @usableFromInline let link: UpstreamLink

        @inlinable
        init(outcome: OneShotSubscription<Downstream>, link: UpstreamLink) {
            self.outcome = outcome
            self.link = link
        }

        @usableFromInline
        func request(_ demand: Subscribers.Demand) {
            outcome.request(demand)
        }

        @usableFromInline
        func cancel() {
            outcome.cancel()
            link.cancel()
        }

        @usableFromInline var description: String { link.description }
        @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
        @usableFromInline var playgroundDescription: Any { description }
    }
}
