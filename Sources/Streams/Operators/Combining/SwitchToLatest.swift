extension Publisher where Output: Publisher, Output.Failure == Failure {
    /// Publishes the values of the latest of the publishers that this one publishes.
    ///
    /// ```
    /// ──A───────────B───────────|
    ///   A: ──1──2──3──4──
    ///               B: ──8──9──|
    ///   switchToLatest()
    /// ─────1──2──3──────8──9────|
    /// ```
    ///
    /// A new inner publisher cancels the previous one, whose values are not delivered any more.
    ///
    /// **Demand.** All publishers are requested from this one. The demand that is still unmet is requested from the
    /// latest inner publisher. Values that were not requested from a replaced publisher are lost.
    ///
    /// **Completion.** Finishes when this publisher and the latest inner one have finished. A failure of one of them is
    /// delivered at once and cancels the other.
    ///
    /// **Cancellation.** Cancels the inner publisher and then this one.
    ///
    /// **Threads.** Signals are delivered on the thread that sends them, one after the other.
    @inlinable
    public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
        Publishers.SwitchToLatest(upstream: self)
    }
}

extension Publisher where Output: Publisher, Failure == Never {
    /// Publishes the values of the latest inner publisher, which may fail, in contrast to this one.
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
    /// Publishes the values of the latest of the publishers that this one publishes. None of them can fail.
    ///
    /// Otherwise like `switchToLatest()` of publishers with one type of failure.
    @inlinable
    public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
        Publishers.SwitchToLatest(upstream: self)
    }
}

extension Publisher where Output: Publisher, Output.Failure == Never {
    /// Publishes the values of the latest inner publisher, which cannot fail, in contrast to this one.
    ///
    /// Otherwise like `switchToLatest()` of publishers with one type of failure.
    @inlinable
    public func switchToLatest()
        -> Publishers.SwitchToLatest<
            Publishers.SetFailureType<Output, Failure>,
            Publishers.Map<Self, Publishers.SetFailureType<Output, Failure>>
        >
    {
        map(settingFailureType).switchToLatest()
    }
}

// A function, as a `@Sendable` closure must not capture the publisher's type.
@Sendable
@inlinable
func settingFailureType<P: Publisher, Failure: Error>(_ publisher: P) -> Publishers.SetFailureType<P, Failure>
where P.Failure == Never {
    publisher.setFailureType(to: Failure.self)
}

extension Publishers {
    /// A publisher that publishes the values of the latest of the publishers that its upstream publishes.
    public struct SwitchToLatest<P: Publisher, Upstream: Publisher>: Publisher
    where Upstream.Output == P, Upstream.Failure == P.Failure {
        public typealias Output = P.Output
        public typealias Failure = P.Failure

        /// The publisher of publishers.
        public let upstream: Upstream

        /// Creates a publisher that switches to the latest of the publishers that another one publishes.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let coordinator = SwitchCoordinator<P, S>(downstream: subscriber)
            // Before anything is subscribed to, as in Combine.
            subscriber.receive(subscription: coordinator)
            upstream.subscribe(coordinator)
        }
    }
}

extension Publishers.SwitchToLatest: Equatable where Upstream: Equatable {}
extension Publishers.SwitchToLatest: Sendable where Upstream: Sendable {}

/// The subscriber of the outer publisher and the subscription that is handed downstream.
///
/// The signals of all publishers are events of a ``StateDrain``, which makes them serial. The demand that the previous
/// inner publishers left unanswered is requested from the next.
@usableFromInline
final class SwitchCoordinator<P: Publisher, Downstream: Subscriber>: Subscriber, NamedSubscription
where Downstream.Input == P.Output, Downstream.Failure == P.Failure {
    @usableFromInline typealias Completion = Subscribers.Completion<P.Failure>

    @usableFromInline
    enum Event {
        case demand(Subscribers.Demand)
        case inner(UpstreamLink)
        case innerSubscription(UpstreamLink)
        case value(P.Output, UpstreamLink)
        case innerCompletion(Completion, UpstreamLink)
        case outerCompletion(Completion)
        case cancellation
    }

    @usableFromInline
    struct State: ~Copyable, DrainState {
        @usableFromInline var recipient: Recipient<Downstream>
        @usableFromInline var demand = Subscribers.Demand.none
        /// The link to the latest inner publisher.
        @usableFromInline var inner: UpstreamLink?
        /// Whether the inner publisher has sent its subscription.
        @usableFromInline var isInnerAttached = false
        @usableFromInline var hasOuterFinished = false
        @usableFromInline var requests = LinkRequests()

        @inlinable
        init(downstream: Downstream) {
            recipient = .open(downstream)
        }

        /// Adds demand of the subscriber, and requests it from the inner publisher.
        @inlinable
        mutating func add(_ additional: Subscribers.Demand) {
            demand += additional
            if isInnerAttached, let inner { requests.add(additional, to: inner) }
        }

        /// Records that a publisher has sent its subscription.
        ///
        /// - Returns: The demand to request from it, which is none if another publisher has replaced it.
        @inlinable
        mutating func attach(_ link: UpstreamLink) -> Subscribers.Demand {
            guard inner === link else { return .none }
            isInnerAttached = true
            return demand
        }

        /// Replaces the inner publisher.
        @inlinable
        mutating func setInner(_ link: UpstreamLink?) {
            inner = link
            isInnerAttached = false
        }

        /// Releases everything.
        ///
        /// - Returns: The subscriber, nil after the end.
        @inlinable
        mutating func release() -> Downstream? {
            setInner(nil)
            return recipient.release()
        }
    }

    @usableFromInline let outer = UpstreamLink()

    /// The latest inner publisher's link, which a cancellation cancels at once, on any thread.
    @usableFromInline let inner = Locked<UpstreamLink?>(nil)

    /// Whether the subscriber buffers every value.
    @usableFromInline let needsEveryValue: Bool

    /// Submits a request. A closure is specialised where it is created, a dynamic method is not.
    @usableFromInline let onRequest: (SwitchCoordinator, Subscribers.Demand) -> Void

    @usableFromInline let end = EndFlag()
    @usableFromInline let drain: StateDrain<State, Event>

    @inlinable
    init(downstream: Downstream) {
        drain = StateDrain(State(downstream: downstream))
        needsEveryValue = downstream.needsEveryValue
        onRequest = { $0.submit(.demand($1)) }
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if outer.attach(subscription) { subscription.request(.unlimited) }
    }

    @inlinable
    func receive(_ input: P) -> Subscribers.Demand {
        guard outer.isActive else { return .none }
        if let outcome = input._knownOutcome, deliver(outcome) { return .none }
        // A cancelled group of `group(by:)` requests values, which open further groups. See `MergeCoordinator`.
        guard let inner = replaceInner() else {
            outer.cancel()
            return .none
        }
        input.subscribe(SwitchInnerSubscriber(inner: inner, coordinator: self))
        return .none
    }

    @inlinable
    func receive(completion: Completion) {
        guard outer.complete() else { return }
        if case .failure = completion { cancelInner() }
        submit(.outerCompletion(completion))
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        if demand > .none { onRequest(self, demand) }
    }

    @inlinable
    func cancel() {
        guard end.set() else { return }
        cancelInner()
        outer.cancel()
        submit(.cancellation)
    }

    @inlinable
    func cancelInner() {
        inner.withLock { $0.take() }?.cancel()
    }

    @inlinable
    func submit(_ event: Event) {
        drain.submit(event, for: self) { $0.handle($1, &$2) }
    }

    @usableFromInline var description: String { "SwitchToLatest" }
}

// The inner publishers.
extension SwitchCoordinator {
    /// Delivers all that an inner publisher delivers in place of the current one, without a subscription to it, unless
    /// demand is limited or another call is delivering.
    ///
    /// - Returns: Whether it was delivered. If not, the inner publisher is to be subscribed to.
    @inlinable
    func deliver(_ outcome: Result<P.Output?, P.Failure>) -> Bool {
        let isDelivered = drain.performIfIdle(
            { state in
                guard state.demand == .unlimited, !end.isSet else { return false }
                if state.inner != nil {
                    state.setInner(nil)
                    cancelInner()
                }
                switch outcome {
                case .success(let value?): _ = state.recipient.receive(value)
                case .success(nil): break
                case .failure(let error): finish(.failure(error), &state)
                }
                return true
            }, for: self
        ) { $0.handle($1, &$2) }
        return isDelivered ?? false
    }

    /// Cancels the current inner publisher and creates a link to the next one.
    ///
    /// - Returns: The link, nil after the end.
    @inlinable
    func replaceInner() -> UpstreamLink? {
        let next = UpstreamLink()
        let (previous, isOver) = inner.withLock { inner -> (UpstreamLink?, Bool) in
            // Either this sees the end, or the cancellation sees the link.
            if end.isSet { return (nil, true) }
            return (exchange(&inner, with: next), false)
        }
        if isOver { return nil }
        previous?.cancel()
        submit(.inner(next))
        return next
    }

    /// Requests the outstanding demand from an inner publisher that has sent its subscription.
    @inlinable
    func start(_ link: UpstreamLink) {
        var demand = Subscribers.Demand.none
        drain.perform({ demand = $0.attach(link) }, orEnqueue: .innerSubscription(link), for: self) {
            $0.handle($1, &$2)
        }
        // Not by the drain, whose requests wait for one another: an endless source would hold those of others up.
        if demand > .none { link.request(demand) }
    }

    /// Delivers a value.
    ///
    /// - Returns: The demand to return to the inner publisher.
    @inlinable
    func receive(_ value: P.Output, from link: UpstreamLink) -> Subscribers.Demand {
        let demand = drain.perform(
            { deliver(value, from: link, &$0) }, orEnqueue: .value(value, link), returningTo: link, for: self
        ) { $0.handle($1, &$2) }
        return link.isActive ? demand : .none
    }
}

// The turns of the drain.
extension SwitchCoordinator {
    @inlinable
    func handle(_ event: Event, _ state: inout State) {
        switch event {
        case .value(let value, let link):
            deliver(value, from: link, &state)
        case .demand(let demand):
            state.add(demand)
        case .inner(let link):
            state.setInner(link)
        case .innerSubscription(let link):
            state.requests.add(state.attach(link), to: link)
        case .innerCompletion(.finished, let link):
            guard state.inner === link else { return }
            state.setInner(nil)
            if state.hasOuterFinished { finish(.finished, &state) }
        case .innerCompletion(.failure(let error), let link):
            if state.inner === link { finish(.failure(error), &state) }
        case .outerCompletion(.finished):
            state.hasOuterFinished = true
            if state.inner == nil { finish(.finished, &state) }
        case .outerCompletion(.failure(let error)):
            finish(.failure(error), &state)
        case .cancellation:
            _ = state.release()
        }
    }

    /// Delivers a value of the latest inner publisher. One that was not requested is dropped.
    @inlinable
    func deliver(_ value: P.Output, from link: UpstreamLink, _ state: inout State) {
        guard state.inner === link, !end.isSet else { return }
        if state.demand == .unlimited {
            _ = state.recipient.receive(value)
        } else if state.demand > .none || needsEveryValue {
            state.demand -= .max(1)
            state.add(state.recipient.receive(value))
        }
    }

    @inlinable
    func finish(_ completion: Completion, _ state: inout State) {
        guard end.set() else { return }
        outer.cancel()
        cancelInner()
        state.release()?.receive(completion: completion)
    }
}

/// The subscriber of an inner publisher.
@usableFromInline
struct SwitchInnerSubscriber<P: Publisher, Downstream: Subscriber>: Subscriber
where Downstream.Input == P.Output, Downstream.Failure == P.Failure {
    @usableFromInline let inner: UpstreamLink
    @usableFromInline let coordinator: SwitchCoordinator<P, Downstream>

    @inlinable
    init(inner: UpstreamLink, coordinator: SwitchCoordinator<P, Downstream>) {
        self.inner = inner
        self.coordinator = coordinator
    }

    @inlinable var combineIdentifier: CombineIdentifier { inner.combineIdentifier }

    @inlinable var needsEveryValue: Bool { coordinator.needsEveryValue }

    @inlinable
    func receive(subscription: any Subscription) {
        if inner.attach(subscription) { coordinator.start(inner) }
    }

    @inlinable
    func receive(_ input: P.Output) -> Subscribers.Demand {
        inner.isActive ? coordinator.receive(input, from: inner) : .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<P.Failure>) {
        if inner.complete() { coordinator.submit(.innerCompletion(completion, inner)) }
    }
}
