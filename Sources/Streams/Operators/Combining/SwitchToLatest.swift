import Synchronization

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
/// The lock guards the current inner link together with the outstanding demand. So exactly the demand that the previous
/// inner publishers left unanswered is requested from the next. Signals go through a queue-drain, which makes them
/// serial. A value that is enqueued while its publisher is replaced is added to the demand again. With unlimited demand
/// nothing is counted, and a value costs entering and leaving the drain, two atomic operations.
@usableFromInline
final class SwitchCoordinator<P: Publisher, Downstream: Subscriber>: Subscriber, NamedSubscription
where Downstream.Input == P.Output, Downstream.Failure == P.Failure {
    @usableFromInline typealias Completion = Subscribers.Completion<P.Failure>

    @usableFromInline
    enum Event {
        case inner(UpstreamLink)
        case value(P.Output, UpstreamLink, wasRequested: Bool)
        case innerCompletion(Completion, UpstreamLink)
        case outerCompletion(Completion)
        case cancellation
    }

    /// The state of the draining thread.
    @usableFromInline
    struct State: ~Copyable {
        @usableFromInline var recipient: Recipient<Downstream>
        /// The link whose values are delivered. It becomes the latest one when that event is handled.
        @usableFromInline var inner: UpstreamLink?
        @usableFromInline var hasOuterFinished = false

        @inlinable
        init(downstream: Downstream) {
            recipient = .open(downstream)
        }

        /// Releases everything.
        ///
        /// - Returns: The subscriber, nil after the end.
        @inlinable
        mutating func release() -> Downstream? {
            inner = nil
            return recipient.release()
        }
    }

    @usableFromInline let outer = UpstreamLink()
    @usableFromInline let latest = Locked(LatestInner())
    @usableFromInline let isUnlimited = Atomic<Bool>(false)
    @usableFromInline let isTerminal = Atomic<Bool>(false)
    @usableFromInline let signals = SerialDrain<Event>()
    @usableFromInline let requests = DeferredRequests<(upstream: UpstreamLink, demand: Subscribers.Demand)>()

    /// Whether the subscriber buffers every value.
    @usableFromInline let needsEveryValue: Bool

    @exclusivity(unchecked) @usableFromInline var state: State

    @inlinable
    init(downstream: Downstream) {
        state = State(downstream: downstream)
        needsEveryValue = downstream.needsEveryValue
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if outer.attach(subscription) { subscription.request(.unlimited) }
    }

    @inlinable
    func receive(_ input: P) -> Subscribers.Demand {
        guard outer.isActive else { return .none }
        if let outcome = input._knownOutcome, deliver(outcome) { return .none }
        if let inner = replaceInner() {
            input.subscribe(SwitchInnerSubscriber(inner: inner, coordinator: self))
        }
        return .none
    }

    @inlinable
    func receive(completion: Completion) {
        guard outer.complete() else { return }
        if case .failure = completion { cancelInner() }
        submit(.outerCompletion(completion))
    }

    @inlinable
    func request(_ demand: Subscribers.Demand) {
        guard demand > .none, let inner = add(demand) else { return }
        request(demand, from: inner)
    }

    @inlinable
    func cancel() {
        isTerminal.store(true, ordering: .relaxed)
        cancelInner()
        outer.cancel()
        submit(.cancellation)
    }

    @usableFromInline var description: String { "SwitchToLatest" }

    /// Delivers all that an inner publisher delivers in place of the current one, without a subscription to it, unless
    /// demand is limited or another call is delivering.
    ///
    /// - Returns: Whether it was delivered. If not, the inner publisher is to be subscribed to.
    @inlinable
    func deliver(_ outcome: Result<P.Output?, P.Failure>) -> Bool {
        guard isUnlimited.load(ordering: .relaxed), signals.enter() else { return false }
        if state.inner != nil { detachInner()?.cancel() }
        if !isTerminal.load(ordering: .relaxed) {
            switch outcome {
            case .success(let value?): _ = state.recipient.receive(value)
            case .success(nil): break
            case .failure(let error):
                outer.cancel()
                finish(.failure(error))
            }
        }
        signals.leave { handle($0) }
        if requests.arePending { sendRequests() }
        return true
    }

    @inlinable
    func submit(_ event: Event) {
        let hasLeft = signals.submit(event) { handle($0) }
        if hasLeft, requests.arePending { sendRequests() }
    }
}

/// The inner publisher and the demand, for any thread.
extension SwitchCoordinator {
    /// Cancels the current inner publisher and creates a link to the next one.
    ///
    /// - Returns: The link, nil after the end.
    @inlinable
    func replaceInner() -> UpstreamLink? {
        let inner = UpstreamLink()
        let (previous, isTerminal) = latest.withLock { latest in
            let previous = latest.inner
            if !latest.isTerminal {
                latest.inner = inner
                latest.isAttached = false
            }
            return (previous, latest.isTerminal)
        }
        if isTerminal { return nil }
        previous?.cancel()
        submit(.inner(inner))
        return inner
    }

    /// Requests the outstanding demand from an inner publisher that has sent its subscription.
    @inlinable
    func innerAttached(_ inner: UpstreamLink) {
        let demand = latest.withLock { latest in
            guard latest.inner === inner else { return Subscribers.Demand.none }
            latest.isAttached = true
            return latest.outstanding
        }
        request(demand, from: inner)
    }

    /// Requests values of an inner publisher: at once, or when a delivery under way has ended, in which they may have been
    /// requested.
    @inlinable
    func request(_ demand: Subscribers.Demand, from inner: UpstreamLink) {
        if signals.isIdle { return inner.request(demand) }
        requests.add((inner, demand))
        signals.afterwards({ if requests.arePending { sendRequests() } }, { handle($0) })
    }

    @usableFromInline
    func sendRequests() {
        requests.send { $0.upstream.request($0.demand) }
    }

    @inlinable
    func cancelInner() {
        let inner = latest.withLock { latest in
            latest.isTerminal = true
            return latest.inner.take()
        }
        inner?.cancel()
    }

    /// Adds to the demand.
    ///
    /// - Returns: The inner link to request it from, if it has its subscription.
    @inlinable
    func add(_ demand: Subscribers.Demand) -> UpstreamLink? {
        latest.withLock { latest in
            latest.outstanding += demand
            if latest.outstanding == .unlimited { isUnlimited.store(true, ordering: .relaxed) }
            return latest.attachedInner
        }
    }

    /// Takes a value of an inner publisher.
    ///
    /// - Returns: The demand to return to that.
    @inlinable
    func receive(_ value: P.Output, from inner: UpstreamLink) -> Subscribers.Demand {
        var wasRequested = true
        if !isUnlimited.load(ordering: .relaxed) {
            let (isLatest, hasDemand) = latest.withLock { latest in
                guard latest.inner === inner else { return (false, false) }
                let hasDemand = latest.outstanding > .none
                latest.outstanding -= 1
                return (true, hasDemand)
            }
            guard isLatest, hasDemand || needsEveryValue else { return .none }
            wasRequested = hasDemand
        }
        let additional =
            signals.perform(
                { deliver(value, from: inner, wasRequested: wasRequested) },
                orEnqueue: .value(value, inner, wasRequested: wasRequested)
            ) {
                handle($0)
            } whenLeft: {
                if requests.arePending { sendRequests() }
            } ?? .none
        guard additional > .none, let target = add(additional) else { return .none }
        // Returned rather than requested if the inner publisher was not replaced meanwhile.
        if target === inner { return additional }
        request(additional, from: target)
        return .none
    }
}

/// The draining thread's part.
extension SwitchCoordinator {
    @inlinable
    func deliver(_ value: P.Output, from inner: UpstreamLink, wasRequested: Bool) -> Subscribers.Demand {
        if state.inner === inner, !isTerminal.load(ordering: .relaxed) { return state.recipient.receive(value) }
        if wasRequested, !isUnlimited.load(ordering: .relaxed) { request(.max(1)) }
        return .none
    }

    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .inner(let inner):
            state.inner = inner
        case .value(let value, let inner, let wasRequested):
            request(deliver(value, from: inner, wasRequested: wasRequested))
        case .innerCompletion(.finished, let inner):
            guard state.inner === inner else { return }
            detachInner()
            if state.hasOuterFinished { finish(.finished) }
        case .innerCompletion(.failure(let error), let inner):
            guard state.inner === inner else { return }
            outer.cancel()
            finish(.failure(error))
        case .outerCompletion(.finished):
            state.hasOuterFinished = true
            if state.inner == nil { finish(.finished) }
        case .outerCompletion(.failure(let error)):
            finish(.failure(error))
        case .cancellation:
            _ = state.release()
        }
    }

    /// Ends the delivery of the current inner publisher.
    ///
    /// - Returns: Its link, unless it has been replaced or cancelled meanwhile.
    @inlinable
    @discardableResult
    func detachInner() -> UpstreamLink? {
        let ended = state.inner.take()
        return latest.withLock { latest in
            guard let ended, latest.inner === ended else { return nil }
            latest.isAttached = false
            return latest.inner.take()
        }
    }

    @inlinable
    func finish(_ completion: Completion) {
        guard !isTerminal.exchange(true, ordering: .relaxed) else { return }
        cancelInner()
        state.release()?.receive(completion: completion)
    }
}

/// The latest inner publisher and the demand, which a ``SwitchCoordinator``'s lock guards. It is not generic, so that its
/// layout is not looked up at run time.
@usableFromInline
struct LatestInner {
    /// The latest inner publisher's link.
    @usableFromInline var inner: UpstreamLink?
    /// Whether it has its subscription.
    @usableFromInline var isAttached = false
    @usableFromInline var outstanding = Subscribers.Demand.none
    @usableFromInline var isTerminal = false

    @inlinable
    init() {}

    @inlinable var attachedInner: UpstreamLink? { isAttached ? inner : nil }
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
        if inner.attach(subscription) { coordinator.innerAttached(inner) }
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
