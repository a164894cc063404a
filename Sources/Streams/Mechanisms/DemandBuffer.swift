/// The subscription of a stream whose values come from any thread at any time: it delivers them one after another, in
/// the order in which they came, as far as there is demand, and buffers the others.
///
/// `create`, the asynchronous sources, `asyncMap` and the `onBackpressure` operators use it. Any thread may send,
/// request and cancel. The link leads to the source of the values: a cancellation reaches it at once, on the calling
/// thread.
///
/// It buffers what it was configured to buffer, so ``Publisher/values`` treats it as a source that waits for demand.
@usableFromInline
// Safe because the state belongs to the drain. Values may be sent from any thread where they are `Sendable`, which the
// holder of this object ensures.
final class DemandBuffer<Downstream: Subscriber>: BufferingReceiver, NamedSubscription, @unchecked Sendable {
    @usableFromInline
    enum Event {
        case start
        case value(Downstream.Input)
        case completion(Subscribers.Completion<Downstream.Failure>)
        case demand(Subscribers.Demand)
        case cancellation
    }

    @usableFromInline let link = UpstreamLink()
    @usableFromInline let description: String

    /// Whether the subscriber's demand is requested from the source. Otherwise the source sends without requests.
    @usableFromInline let passesDemand: Bool

    /// Counts the demand for a source that can wait for it.
    @usableFromInline let semaphore: DemandSemaphore?

    /// Submits an event. A closure is specialised where it is created, a dynamic method is not.
    @usableFromInline let onEvent: (DemandBuffer, Event) -> Void

    @usableFromInline let end = EndFlag()
    @usableFromInline let drain: StateDrain<BufferState<Downstream>, Event>

    /// - Parameters:
    ///   - name: The operator's name.
    ///   - limit: The largest number of buffered values.
    ///   - whenFull: The strategy for a value for which there is neither demand nor room.
    ///   - passesDemand: Whether the subscriber's demand is requested from the source.
    ///   - semaphore: A semaphore for a source that can wait for demand.
    @inlinable
    init(
        _ name: String, downstream: Downstream, limit: Int = .max,
        whenFull: Publishers.BufferingStrategy<Downstream.Failure> = .dropNewest, passesDemand: Bool = false,
        semaphore: DemandSemaphore? = nil
    ) {
        description = name
        self.semaphore = semaphore
        self.passesDemand = passesDemand
        drain = StateDrain(BufferState(downstream: downstream, limit: limit, whenFull: whenFull))
        onEvent = { buffer, event in buffer.drain.submit(event, for: buffer) { $0.handle($1, &$2) } }
    }

    @inlinable var isOver: Bool { end.isSet }

    @inlinable
    func start() {
        submit(.start)
    }

    @inlinable
    func send(_ value: Downstream.Input) {
        if !isOver { submit(.value(value)) }
    }

    @inlinable
    func send(completion: Subscribers.Completion<Downstream.Failure>) {
        if !isOver { submit(.completion(completion)) }
    }

    @usableFromInline
    func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
        send(completion: completion)
        link.cancel()
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        if demand > .none, !isOver { submit(.demand(demand)) }
    }

    @usableFromInline
    func cancel() {
        guard end.set() else { return }
        link.cancel()
        submit(.cancellation)
    }

    @inlinable
    func submit(_ event: Event) {
        onEvent(self, event)
    }
}

// The turns of the drain.
extension DemandBuffer {
    @inlinable
    func handle(_ event: Event, _ state: inout BufferState<Downstream>) {
        switch event {
        case .value(let value):
            accept(value, &state)
        case .demand(let demand):
            add(demand, &state)
            deliverBuffered(&state)
        case .start:
            state.recipient.receive(subscription: self)
        case .completion(let completion):
            guard state.completion == nil else { return }
            state.completion = completion
            deliverBuffered(&state)
        case .cancellation:
            _ = state.release()
        }
    }

    @inlinable
    func accept(_ value: Downstream.Input, _ state: inout BufferState<Downstream>) {
        guard state.completion == nil, !isOver else { return }
        if state.buffer.isEmpty, state.takeDemand() {
            add(state.recipient.receive(value), &state)
        } else if case .failed(let makeError) = state.buffer.append(value) {
            link.cancel()
            state.completion = .failure(makeError())
            deliverBuffered(&state)
        }
    }

    @inlinable
    func add(_ demand: Subscribers.Demand, _ state: inout BufferState<Downstream>) {
        guard demand > .none else { return }
        state.demand += demand
        if passesDemand { state.requests.add(demand, to: link) }
        semaphore?.signal(demand)
    }

    /// Delivers buffered values as far as there is demand, and the completion after them.
    @inlinable
    func deliverBuffered(_ state: inout BufferState<Downstream>) {
        while !state.buffer.isEmpty, !isOver, state.takeDemand() {
            guard let value = state.buffer.popFirst() else { break }
            add(state.recipient.receive(value), &state)
        }
        guard let completion = state.dueCompletion(), end.set() else { return }
        state.release()?.receive(completion: completion)
    }
}

/// A ``DemandBuffer`` as the source of its values sees it, whatever the type of the subscriber.
@usableFromInline
protocol BufferingReceiver<Input, Failure>: AnyObject, Sendable {
    associatedtype Input
    associatedtype Failure: Error

    /// The link to the source.
    var link: UpstreamLink { get }

    /// Whether the subscriber has cancelled or its completion has been delivered.
    var isOver: Bool { get }

    /// Hands the subscription to the subscriber. Values that are sent meanwhile follow.
    func start()

    /// Delivers a value, now or as soon as there is demand for it.
    func send(_ value: Input)

    /// Delivers a completion after the values that were sent before. Signals that follow are ignored.
    func send(completion: Subscribers.Completion<Failure>)

    /// Delivers a completion and cancels the source.
    func finish(_ completion: Subscribers.Completion<Failure>)
}
