import Synchronization

/// The attempts of `retry(when:)` and `repeat(when:)`: after each of them, a value of another publisher, the trigger, has the
/// upstream subscribed to again.
///
/// The subscribers of the current attempt and of the trigger hold it; downstream has only the subscription.
///
/// Values and the completion are events of a ``StateDrain``: the trigger may complete on any thread while an attempt delivers a
/// value, and a source may send the next value from inside the request that the subscriber makes during one.
///
/// Subscribing to the upstream and signalling its end happen in turn. So the stack stays flat if both happen at once.
@usableFromInline
final class TriggeredResubscription<Upstream: Publisher, Downstream: Subscriber, Event>
where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
    @usableFromInline typealias Completion = Subscribers.Completion<Upstream.Failure>

    @usableFromInline
    enum Step {
        case subscribe
        case signal(Event)
    }

    @usableFromInline let upstream: Upstream
    @usableFromInline let downstream: Downstream
    @usableFromInline let subscription: TriggeredSubscription<Event>
    @usableFromInline let drain = StateDrain<RelayState, Signal<Upstream.Output, Upstream.Failure>>(RelayState())

    /// Whether an attempt has ended and the next one has not been triggered.
    @usableFromInline let isWaiting = Atomic<Bool>(false)

    /// Returns the event that the end of an attempt is for the trigger, nil if it ends the stream.
    @usableFromInline let event: (Completion) -> Event?

    /// The next step. It belongs to the attempts' ends and, while waiting, to the trigger.
    @exclusivity(unchecked) @usableFromInline var next: Step?

    @inlinable
    init(_ name: String, upstream: Upstream, downstream: Downstream, event: @escaping (Completion) -> Event?) {
        subscription = TriggeredSubscription(name, needsEveryValue: downstream.needsEveryValue)
        self.upstream = upstream
        self.downstream = downstream
        self.event = event
    }

    @inlinable var arbiter: SubscriptionArbiter { subscription.arbiter }

    /// Hands the subscription down, subscribes to the trigger, and begins the first attempt.
    ///
    /// - Parameter makeTrigger: A closure that creates the trigger from the publisher of the attempts' ends.
    @inlinable
    func start<Trigger: Publisher>(_ makeTrigger: (AnyPublisher<Event, Never>) -> Trigger)
    where Trigger.Failure == Upstream.Failure {
        downstream.receive(subscription: subscription)
        if arbiter.isTerminal { return }
        // The newest end is kept for an operator that requests it late.
        makeTrigger(subscription.ends.onBackpressureLatest().eraseToAnyPublisher())
            .subscribe(RestartSubscriber(resubscription: self))
        next = .subscribe
        arbiter.trampoline.run(takeStep)
    }

    @inlinable
    func takeStep() {
        guard let step = next.take(), !arbiter.isTerminal else { return }
        switch step {
        case .subscribe:
            upstream.subscribe(TriggeredSubscriber(resubscription: self))
        case .signal(let event):
            isWaiting.store(true, ordering: .releasing)
            // Requested before: an operator that passes requests on needs it to pass the event on.
            subscription.trigger.request(.max(1))
            subscription.ends.send(event)
        }
    }

    @inlinable
    func attemptEnded(_ completion: Completion) {
        guard let event = event(completion) else { return finish(completion) }
        arbiter.detach()
        next = .signal(event)
        arbiter.trampoline.run(takeStep)
    }

    /// Begins the next attempt, unless one is running.
    @inlinable
    func triggered() {
        guard isWaiting.exchange(false, ordering: .acquiringAndReleasing) else { return }
        next = .subscribe
        arbiter.trampoline.run(takeStep)
    }

    /// Ends the stream, after the values that were sent before.
    @inlinable
    func finish(_ completion: Completion) {
        if subscription.end() { drain.submit(.completion(completion), for: self) { $0.handle($1, &$2) } }
    }

    /// Delivers a value, if it was requested.
    @inlinable
    func receive(_ value: Upstream.Output) {
        guard !arbiter.isTerminal, arbiter.takeDemand() else { return }
        drain.perform({ deliver(value, &$0) }, orEnqueue: .value(value), for: self) { $0.handle($1, &$2) }
    }

    @inlinable
    func handle(_ signal: Signal<Upstream.Output, Upstream.Failure>, _ state: inout RelayState) {
        switch signal {
        case .value(let value):
            deliver(value, &state)
        case .completion(let completion):
            state.isCompleted = true
            if !isCancelled { downstream.receive(completion: completion) }
        }
    }

    @inlinable
    func deliver(_ value: Upstream.Output, _ state: inout RelayState) {
        guard !state.isCompleted, !isCancelled else { return }
        let returned = downstream.receive(value)
        if returned > .none, let upstream = arbiter.add(returned) { state.requests.add(returned, to: upstream) }
    }

    @inlinable var isCancelled: Bool { subscription.isCancelled.load(ordering: .relaxed) }
}

/// The subscription of `retry(when:)` and `repeat(when:)`.
@usableFromInline
final class TriggeredSubscription<Event>: NamedSubscription {
    @usableFromInline let arbiter: SubscriptionArbiter
    @usableFromInline let trigger = UpstreamLink()

    /// The ends of the attempts, for the trigger.
    @usableFromInline let ends = PassthroughSubject<Event, Never>()

    /// Whether the subscriber has cancelled.
    @usableFromInline let isCancelled = Atomic<Bool>(false)

    @usableFromInline
    init(_ name: String, needsEveryValue: Bool) {
        arbiter = SubscriptionArbiter(name, needsEveryValue: needsEveryValue)
    }

    /// Ends the stream and cancels the attempt and the trigger.
    ///
    /// - Returns: Whether it was still going on, so that a completion can be delivered downstream.
    @usableFromInline
    func end() -> Bool {
        guard arbiter.completeCancellingUpstream() else { return false }
        trigger.cancel()
        ends.send(completion: .finished)
        return true
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        arbiter.request(demand)
    }

    @usableFromInline
    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        _ = end()
    }

    @usableFromInline var description: String { arbiter.description }
}

/// The subscriber of one attempt.
@usableFromInline
struct TriggeredSubscriber<Upstream: Publisher, Downstream: Subscriber, Event>: Subscriber
where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
    @usableFromInline let resubscription: TriggeredResubscription<Upstream, Downstream, Event>
    @usableFromInline let link = UpstreamLink()

    @inlinable
    init(resubscription: TriggeredResubscription<Upstream, Downstream, Event>) {
        self.resubscription = resubscription
    }

    @inlinable var combineIdentifier: CombineIdentifier { resubscription.subscription.combineIdentifier }

    @inlinable var needsEveryValue: Bool { resubscription.downstream.needsEveryValue }

    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription) { resubscription.arbiter.attach(link) }
    }

    @inlinable
    func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        if link.isActive { resubscription.receive(input) }
        // Requested rather than returned, as by `retry`.
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        if link.complete() { resubscription.attemptEnded(completion) }
    }
}

/// The subscriber of the publisher that triggers attempts.
@usableFromInline
struct RestartSubscriber<Upstream: Publisher, Downstream: Subscriber, Event, Input>: Subscriber
where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
    @usableFromInline let resubscription: TriggeredResubscription<Upstream, Downstream, Event>

    @inlinable
    init(resubscription: TriggeredResubscription<Upstream, Downstream, Event>) {
        self.resubscription = resubscription
    }

    @inlinable var combineIdentifier: CombineIdentifier { resubscription.subscription.trigger.combineIdentifier }

    @inlinable
    func receive(subscription: any Subscription) {
        _ = resubscription.subscription.trigger.attach(subscription)
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
        if resubscription.subscription.trigger.isActive { resubscription.triggered() }
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        if resubscription.subscription.trigger.complete() { resubscription.finish(completion) }
    }
}
