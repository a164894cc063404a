import Synchronization

/// Makes the signals of an upstream and a trigger serial, for `drop(untilOutputFrom:)` and `prefix(untilOutputFrom:)`.
///
/// The trigger is a publisher whose first value starts or ends the stream. Upstream and trigger may end it on their own
/// threads. Values and completions are events of a ``StateDrain``. The coordinator belongs to the two subscribers, and is
/// released with them.
@usableFromInline
// Safe because what changes is atomic or belongs to the drain.
final class UntilOutputCoordinator<Downstream: Subscriber>: @unchecked Sendable {
    @usableFromInline typealias Event = Signal<Downstream.Input, Downstream.Failure>

    @usableFromInline let link: DeferredLink
    @usableFromInline let trigger = UpstreamLink()
    @usableFromInline let downstream: Downstream
    @usableFromInline let drain = StateDrain<RelayState, Event>(RelayState())

    @usableFromInline let deliversValuesWord: Atomic<Bool>

    /// - Parameters:
    ///   - name: The operator's name, as `print()` writes it.
    ///   - deliversValues: Whether values are delivered from the start.
    @inlinable
    init(_ name: String, deliversValues: Bool, downstream: Downstream) {
        link = DeferredLink(name, trigger: trigger)
        deliversValuesWord = Atomic(deliversValues)
        self.downstream = downstream
    }

    /// Whether values are delivered: from the start, or from the trigger's first value on.
    @inlinable var deliversValues: Bool {
        get { deliversValuesWord.load(ordering: .acquiring) }
        set { deliversValuesWord.store(newValue, ordering: .releasing) }
    }

    @inlinable
    func submit(_ event: Event) {
        drain.submit(event, for: self) { $0.handle($1, &$2) }
    }

    /// Delivers a value.
    ///
    /// - Returns: The additional demand of the subscriber.
    @inlinable
    func receive(_ value: Downstream.Input) -> Subscribers.Demand {
        drain.perform({ deliver(value, &$0) }, orEnqueue: .value(value), returningTo: link, for: self) {
            $0.handle($1, &$2)
        }
    }

    /// Ends the stream because of the trigger.
    @inlinable
    func complete(_ completion: Subscribers.Completion<Downstream.Failure>) {
        link.detach()?.cancel()
        trigger.cancel()
        submit(.completion(completion))
    }

    @inlinable
    func handle(_ event: Event, _ state: inout RelayState) {
        switch event {
        case .value(let value):
            deliver(value, &state)
        case .completion(let completion):
            guard !state.isCompleted else { return }
            state.isCompleted = true
            if !isCancelled { downstream.receive(completion: completion) }
        }
    }

    @inlinable
    func deliver(_ value: Downstream.Input, _ state: inout RelayState) {
        if !state.isCompleted, !isCancelled { state.requests.add(downstream.receive(value), to: link) }
    }

    @inlinable var isCancelled: Bool { link.isCancelled.load(ordering: .relaxed) }
}

/// The subscriber to the upstream.
@usableFromInline
struct UntilOutputSubscriber<Downstream: Subscriber>: Subscriber {
    @usableFromInline let coordinator: UntilOutputCoordinator<Downstream>
    @usableFromInline let link: DeferredLink

    @inlinable
    init(_ coordinator: UntilOutputCoordinator<Downstream>) {
        self.coordinator = coordinator
        link = coordinator.link
    }

    @inlinable var combineIdentifier: CombineIdentifier { link.combineIdentifier }

    @inlinable var needsEveryValue: Bool { coordinator.downstream.needsEveryValue }

    @inlinable
    func receive(subscription: any Subscription) {
        link.start(subscription)
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        guard link.isActive else { return .none }
        // A dropped value is replaced.
        return coordinator.deliversValues ? coordinator.receive(input) : .max(1)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        let isActive = link.complete()
        coordinator.trigger.cancel()
        if isActive { coordinator.submit(.completion(completion)) }
    }
}

/// The subscriber to the trigger. It requests one value.
@usableFromInline
struct TriggerSubscriber<Input, Failure: Error>: Subscriber {
    @usableFromInline let link: UpstreamLink
    @usableFromInline let onValue: () -> Void
    @usableFromInline let onCompletion: (Subscribers.Completion<Failure>) -> Void

    @usableFromInline
    init(
        _ link: UpstreamLink,
        onValue: @escaping () -> Void, onCompletion: @escaping (Subscribers.Completion<Failure>) -> Void
    ) {
        self.link = link
        self.onValue = onValue
        self.onCompletion = onCompletion
    }

    @usableFromInline var combineIdentifier: CombineIdentifier { link.combineIdentifier }

    @usableFromInline
    func receive(subscription: any Subscription) {
        if link.attach(subscription) { subscription.request(.max(1)) }
    }

    @usableFromInline
    func receive(_ input: Input) -> Subscribers.Demand {
        if link.isActive { onValue() }
        return .none
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
        if link.complete() { onCompletion(completion) }
    }
}
