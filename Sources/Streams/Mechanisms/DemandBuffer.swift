import Synchronization

/// The subscription of a stream whose values come from any thread at any time: it delivers them one after another, in
/// the order in which they came, as far as there is demand, and buffers the others.
///
/// `create`, the asynchronous sources, `asyncMap` and the `onBackpressure` operators use it. Any thread may send,
/// request and cancel. The `state` belongs to the draining thread. The link leads to the source of the values: a
/// cancellation reaches it at once, on the calling thread.
///
/// It buffers what it was configured to buffer, so ``Publisher/values`` treats it as a source that waits for demand.
@usableFromInline
// Safe because the state belongs to the draining thread, or is atomic. Values may be sent from any thread where they are
// Sendable, which the holder of this object ensures.
final class DemandBuffer<Downstream: Subscriber>: BufferingReceiver, NamedSubscription, @unchecked Sendable {
    @usableFromInline
    enum Event {
        case start
        case value(Downstream.Input)
        case completion(Subscribers.Completion<Downstream.Failure>)
        case demand
        case cancellation
    }

    @usableFromInline let link = UpstreamLink()
    @usableFromInline let demand = AtomicDemand()
    @usableFromInline let signals = SerialDrain<Event>()
    @usableFromInline let description: String

    /// Whether the subscriber's demand is requested from the source. Otherwise the source sends without requests.
    @usableFromInline let passesDemand: Bool

    /// The demand that is requested from the source when the drain has been left.
    @usableFromInline let deferredDemand = DeferredDemand()

    /// Whether a request has to be followed by a delivery. It is set before the demand is found to be used up, and read
    /// after demand was added, so that one of the two threads sees the other's change.
    @usableFromInline let hasBufferedValues = Atomic<Bool>(false)

    /// Submits an event. A closure is specialised where it is created, a dynamic method is not.
    @usableFromInline let onEvent: (DemandBuffer, Event) -> Void

    @exclusivity(unchecked) @usableFromInline var state: BufferState<Downstream>

    /// - Parameters:
    ///   - name: The operator's name.
    ///   - limit: The largest number of buffered values.
    ///   - whenFull: The strategy for a value for which there is neither demand nor room.
    ///   - passesDemand: Whether the subscriber's demand is requested from the source.
    @inlinable
    init(
        _ name: String, downstream: Downstream, limit: Int = .max,
        whenFull: Publishers.BufferingStrategy<Downstream.Failure> = .dropNewest, passesDemand: Bool = false
    ) {
        description = name
        self.passesDemand = passesDemand
        state = BufferState(downstream: downstream, limit: limit, whenFull: whenFull)
        onEvent = { buffer, event in
            let hasLeft = buffer.signals.submit(event) { buffer.handle($0) }
            if hasLeft, buffer.passesDemand { buffer.passDemand() }
        }
    }

    @inlinable var isOver: Bool { demand.reading.isCancelled }

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
    func request(_ additional: Subscribers.Demand) {
        guard additional > .none else { return }
        add(additional)
        let isDeferred = passesDemand && !signals.isIdle
        if hasBufferedValues.load(ordering: .acquiring) || isDeferred {
            submit(.demand)
        } else if passesDemand {
            passDemand()
        }
    }

    @usableFromInline
    func cancel() {
        guard !demand.cancel().isCancelled else { return }
        link.cancel()
        submit(.cancellation)
    }

    @inlinable
    func submit(_ event: Event) {
        onEvent(self, event)
    }

    @inlinable
    func add(_ additional: Subscribers.Demand) {
        guard additional > .none else { return }
        demand.add(additional)
        if passesDemand { deferredDemand.add(additional) }
    }

    /// Requests the demand that has been added since the last call from the source.
    @inlinable
    func passDemand() {
        let demand = deferredDemand.take()
        if demand > .none { link.request(demand) }
    }
}

/// The part of the draining thread.
extension DemandBuffer {
    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .value(let value): deliver(value)
        case .demand: deliverBuffered()
        case .start: state.recipient.receive(subscription: self)
        case .completion(let completion): end(completion)
        case .cancellation: release(delivering: nil)
        }
    }

    @inlinable
    func deliver(_ value: Downstream.Input) {
        guard state.completion == nil else { return }
        if state.buffer.isEmpty, demand.reading == .flowing || demand.takeOne() {
            add(state.recipient.receive(value))
        } else if !isOver {
            append(value)
        }
    }

    @inlinable
    func append(_ value: Downstream.Input) {
        switch state.buffer.append(value) {
        case .buffered:
            hasBufferedValues.store(true, ordering: .relaxed)
            deliverBuffered()
        case .dropped:
            break
        case .failed(let makeError):
            link.cancel()
            end(.failure(makeError()))
        }
    }

    @inlinable
    func deliverBuffered() {
        while !state.buffer.isEmpty, demand.takeOne() {
            guard let value = state.buffer.popFirst() else { break }
            add(state.recipient.receive(value))
        }
        if state.buffer.isEmpty {
            hasBufferedValues.store(false, ordering: .relaxed)
            if let completion = state.dueCompletion() { close(with: completion) }
        }
    }

    @inlinable
    func end(_ completion: Subscribers.Completion<Downstream.Failure>) {
        guard state.completion == nil else { return }
        state.completion = completion
        if state.buffer.isEmpty { close(with: completion) }
    }

    @inlinable
    func close(with completion: Subscribers.Completion<Downstream.Failure>) {
        if !demand.cancel().isCancelled { release(delivering: completion) }
    }

    /// Releases everything, and delivers the completion if there is one.
    @inlinable
    func release(delivering completion: Subscribers.Completion<Downstream.Failure>?) {
        let released = state.release()
        if let completion { released?.receive(completion: completion) }
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
