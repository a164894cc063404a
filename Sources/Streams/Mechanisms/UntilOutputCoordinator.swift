import Synchronization

/// Makes the signals of an upstream and a trigger serial, for `drop(untilOutputFrom:)` and `prefix(untilOutputFrom:)`.
///
/// The trigger is a publisher whose first value starts or ends the stream. Upstream and trigger may end it on their own
/// threads. Values and completions go through a queue-drain. The coordinator belongs to the two subscribers, and is
/// released with them.
@usableFromInline
// Safe because what changes is atomic or belongs to the draining thread.
final class UntilOutputCoordinator<Downstream: Subscriber>: @unchecked Sendable {
    @usableFromInline
    enum Event {
        case value(Downstream.Input)
        case completion(Subscribers.Completion<Downstream.Failure>)
    }

    @usableFromInline let link: DeferredLink
    @usableFromInline let trigger = UpstreamLink()
    @usableFromInline let downstream: Downstream
    @usableFromInline let signals = SerialDrain<Event>()
    /// The demand of values from the queue, which is requested when the drain has been left.
    @usableFromInline let deferredDemand = DeferredDemand()

    @usableFromInline let deliversValuesWord: Atomic<Bool>

    /// Whether the completion was delivered. Belongs to the draining thread.
    @exclusivity(unchecked) @usableFromInline var isCompleted = false

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
        signals.submit(event, handle, whenLeft: passDemand)
    }

    @inlinable
    func passDemand() {
        let demand = deferredDemand.take()
        if demand > .none { link.request(demand) }
    }

    /// Delivers a value.
    ///
    /// - Returns: The additional demand of the subscriber.
    @inlinable
    func receive(_ value: Downstream.Input) -> Subscribers.Demand {
        signals.perform({ deliver(value) }, orEnqueue: .value(value), handle, whenLeft: passDemand) ?? .none
    }

    /// Ends the stream because of the trigger.
    @inlinable
    func complete(_ completion: Subscribers.Completion<Downstream.Failure>) {
        link.detach()?.cancel()
        trigger.cancel()
        submit(.completion(completion))
    }

    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .value(let value):
            deferredDemand.add(deliver(value))
        case .completion(let completion):
            guard !isCompleted else { return }
            isCompleted = true
            if !isCancelled { downstream.receive(completion: completion) }
        }
    }

    @inlinable
    func deliver(_ value: Downstream.Input) -> Subscribers.Demand {
        isCompleted || isCancelled ? .none : downstream.receive(value)
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
