import Synchronization

/// Combines the values of several publishers for `zip`, `combineLatest`, `withLatestFrom` and `sample(_:)`.
///
/// Each input keeps its `CombiningValues` by its policy, and the state shows when a combination is due. The values, the
/// state and the subscriber belong to the draining thread. The subscriber receives its subscription when all inputs
/// have theirs. A request goes to every input, when the drain has been left. The input whose value is being delivered
/// gets it as the return value.
///
/// A value that makes no combination, as another input has none yet, uses up no demand: another value is requested from
/// its input. So every input can always make the combinations that are still requested.
///
/// A source that emits from inside `request` may be endless, and keeps other inputs from being requested meanwhile. So
/// a batch at a time is requested from it until its values make combinations, and for `zip` all the time.
@usableFromInline
final class CombiningCoordinator<Downstream: Subscriber>: NamedSubscription {
    @usableFromInline
    enum Event {
        /// A value of an input. The closure stores it.
        case value(CombiningLink, (inout CombiningState) -> Void)
        /// The end of an input. The closure handles it.
        case finish((inout CombiningState) -> Void)
        case failure(Downstream.Failure)
        case subscription
        case demand(Subscribers.Demand)
        case cancellation
    }

    @usableFromInline
    enum Request {
        /// For values of one input, or of all inputs.
        case values(Subscribers.Demand, of: CombiningLink?)
        /// For all values of an input.
        case all(of: CombiningLink)
    }

    @usableFromInline let name: String
    @usableFromInline let inputs: [CombiningLink]
    @usableFromInline let dropsUnrequestedValues: Bool
    /// Whether the subscriber buffers every value.
    @usableFromInline let needsEveryValue: Bool
    /// Delivers what a request allows. A closure is specialised where it is created, a dynamic method is not.
    @usableFromInline let onRequest: (CombiningCoordinator, Subscribers.Demand) -> Void
    @usableFromInline let signals = SerialDrain<Event>()
    /// Requests to the inputs. As they are sent one after the other, no input runs ahead.
    @usableFromInline let requests = DeferredRequests<Request>()
    /// The number of inputs without a subscription.
    @usableFromInline let awaitedInputs: Atomic<Int>
    /// Whether there may be batched inputs.
    @usableFromInline let mayHaveBatches = Atomic<Bool>(false)
    /// Whether the subscriber has cancelled, or its completion is being delivered.
    @usableFromInline let isOver = Atomic<Bool>(false)

    // These belong to the draining thread.
    @exclusivity(unchecked) @usableFromInline var state: CombiningState
    @exclusivity(unchecked) @usableFromInline var failure: Downstream.Failure?
    @exclusivity(unchecked) @usableFromInline var recipient: Recipient<Downstream>
    @exclusivity(unchecked) @usableFromInline var combine: ((inout CombiningState) -> Downstream.Input)?

    /// - Parameters:
    ///   - inputs: The inputs, in the order in which they are subscribed to.
    ///   - combine: A closure that takes a value of each input.
    @inlinable
    init(
        _ name: String, _ inputs: [CombiningLink], downstream: Downstream,
        combine: @escaping (inout CombiningState) -> Downstream.Input
    ) {
        self.name = name
        self.inputs = inputs
        dropsUnrequestedValues = inputs.contains { $0.policy.dropsUnrequestedValues }
        needsEveryValue = downstream.needsEveryValue
        onRequest = { $0.submit(.demand($1)) }
        recipient = .open(downstream)
        self.combine = combine
        state = CombiningState(inputCount: inputs.count)
        awaitedInputs = Atomic(inputs.count)
    }
}

extension CombiningCoordinator {
    /// Subscribes an input to its publisher.
    @inlinable
    func subscribe<P: Publisher>(_ input: CombiningInput<P.Output>, to publisher: P)
    where P.Failure == Downstream.Failure {
        publisher.subscribe(CombiningSubscriber(input: input, coordinator: self))
    }

    /// Hands the subscription down. Called once, when all inputs have their subscriptions or if there are none.
    @inlinable
    func start() {
        for input in inputs where input.policy.isSampled {
            // `sample(_:)` waits for the end of the values, so all are requested at once.
            if input.policy == .sampledOnce { input.request(.unlimited) } else { requestAll(of: input) }
        }
        submit(.subscription)
        if needsEveryValue, dropsUnrequestedValues { request(.unlimited) }
    }

    /// Stores a value, and delivers the combinations that become due.
    ///
    /// - Returns: The number of values that are requested of the input in return.
    @inlinable
    func receive<Value>(_ value: Value, from input: CombiningInput<Value>) -> Subscribers.Demand {
        let returned = input.link.noteValue()
        if signals.enter() {
            store(in: input.link) { input.values.store(value, &$0) }
            signals.leave { handle($0) }
        } else if signals.enqueue(.value(input.link) { input.values.store(value, &$0) }) {
            signals.drain { handle($0) }
        } else {
            return returned
        }
        return requests.arePending ? returned + sendRequests(returningTo: input.link) : returned
    }

    @inlinable
    func submit(_ event: Event) {
        if signals.submit(event, { handle($0) }), requests.arePending { sendRequests(returningTo: nil) }
    }

    /// Passes the deferred requests on.
    ///
    /// - Parameter caller: The input whose value is being delivered, to which demand is returned.
    /// - Returns: The number of values that are requested of the caller.
    @inlinable
    @discardableResult
    func sendRequests(returningTo caller: CombiningLink?) -> Subscribers.Demand {
        var returned = Subscribers.Demand.none
        requests.send { request in
            switch request {
            case .all(let input):
                requestAll(of: input)
            case .values(let demand, of: let input?):
                if input === caller { returned += demand } else { input.request(demand) }
            case .values(let demand, of: nil):
                for input in inputs where input !== caller && !input.policy.isSampled { input.request(demand) }
                returned += demand
            }
        }
        return returned
    }

    /// Requests all values of an input, a batch at a time if the source emits from inside the request.
    @inlinable
    func requestAll(of input: CombiningLink) {
        mayHaveBatches.store(true, ordering: .relaxed)
        input.requestAll()
        if !inputs.contains(where: isBatched) { mayHaveBatches.store(false, ordering: .relaxed) }
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        if demand > .none { onRequest(self, demand) }
    }

    @usableFromInline
    func cancel() {
        guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
        for input in inputs { input.cancel() }
        submit(.cancellation)
    }

    @usableFromInline var description: String { name }
}

// For the draining thread.
extension CombiningCoordinator {
    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .value(let input, let body):
            // A value that was underway at the end is not stored, as nothing would release it.
            return combine == nil ? () : store(in: input, body)
        case .finish(let body):
            body(&state)
        case .failure(let error):
            failure = failure ?? error
            state.isEnding = true
        case .subscription:
            recipient.receive(subscription: self)
            state.isStarted = true
        case .demand(let requested):
            add(requested)
        case .cancellation:
            break
        }
        advance()
    }

    /// Stores a value by a closure, and delivers the combinations that become due.
    @inlinable
    @inline(__always)
    func store(in input: CombiningLink, _ body: (inout CombiningState) -> Void) {
        body(&state)
        if !state.isDue, input.policy.replacesValues, state.demand > .none, state.demand < .unlimited {
            replaceValue(of: input)
        }
        if state.hasWithheldDemand { requestWithheldDemand() }
        advance()
    }

    /// Delivers the combinations that are due, and the completion if no other can become due.
    @inlinable
    func advance() {
        guard state.isStarted else { return }
        while state.isDue, failure == nil, state.demand > .none || !dropsUnrequestedValues,
            !isOver.load(ordering: .relaxed), let combination = combine?(&state)
        {
            if state.demand < .unlimited { state.demand -= .max(1) }
            let requested = recipient.receive(combination)
            if requested > .none { add(requested) }
            if mayHaveBatches.load(ordering: .relaxed) { continueBatches() }
        }
        let isEnding = state.isEnding && (!state.isDue || failure != nil)
        guard isEnding || isOver.load(ordering: .relaxed) else { return }
        let isCancelled = isOver.exchange(true, ordering: .acquiringAndReleasing)
        let completion = failure.take().map { Subscribers.Completion.failure($0) } ?? .finished
        let subscriber = recipient.release()
        combine = nil
        guard !isCancelled else { return }
        for input in inputs { input.cancel() }
        subscriber?.receive(completion: completion)
    }
}

// The requests that the draining thread defers.
extension CombiningCoordinator {
    /// Adds demand of the subscriber, and requests it from the inputs.
    @inlinable
    func add(_ requested: Subscribers.Demand) {
        let wasUnlimited = state.demand == .unlimited
        state.demand += requested
        if state.demand < .unlimited {
            requests.add(.values(requested, of: nil))
        } else if !wasUnlimited {
            requestAll()
        }
    }

    /// Requests all values of the inputs.
    @inlinable
    func requestAll() {
        mayHaveBatches.store(true, ordering: .relaxed)
        state.hasWithheldDemand = inputs.contains { $0.policy.replacesValues }
        for input in inputs where !input.policy.isSampled {
            input.isBatched.store(true, ordering: .relaxed)
            if input.policy.replacesValues { input.withheld = .unlimited }
            requests.add(.all(of: input))
        }
    }

    /// Requests the values after a combination that batched inputs have given one to.
    @inlinable
    func continueBatches() {
        let half = CombiningLink.batchSize / 2
        state.unrequestedCombinations = (state.unrequestedCombinations + 1) % half
        let isHalf = state.unrequestedCombinations == 0
        // The latest values are kept anyway, but those of a zip are queued.
        for input in inputs where isBatched(input) {
            if input.policy.isSampled { requests.add(.values(.max(1), of: input)) }
            if isHalf, input.policy == .queue { requests.add(.values(.max(half), of: input)) }
        }
    }

    @inlinable
    func isBatched(_ input: CombiningLink) -> Bool { input.isBatched.load(ordering: .relaxed) }

    /// Requests another value in place of one that made no combination.
    @inlinable
    func replaceValue(of input: CombiningLink) {
        input.replacedCount += 1
        if input.replacedCount > CombiningLink.batchSize, input.emitsInsideRequest {
            input.withheld += 1
            state.hasWithheldDemand = true
        } else {
            requests.add(.values(.max(1), of: input))
        }
    }

    /// Requests what was withheld, as soon as each value makes a combination.
    @inlinable
    func requestWithheldDemand() {
        // Of inputs with a trigger, only that may have no value.
        guard state.missingInputs <= 1, state.missingInputs == 0 || inputs.contains(where: \.policy.isSampled) else {
            return
        }
        let samplesOnce = inputs.contains { $0.policy == .sampledOnce }
        for input in inputs {
            // Of an input that is not batched, all values have been requested already.
            if input.withheld == .unlimited, !isBatched(input) { input.withheld = .none }
            // If a value is sampled once, only one value of the trigger makes a combination with it.
            let granted = samplesOnce ? min(input.withheld, .max(CombiningLink.batchSize)) : input.withheld
            input.withheld = samplesOnce ? input.withheld - granted : .none
            input.replacedCount = 0
            if granted > .none { requests.add(.values(granted, of: input)) }
        }
        state.hasWithheldDemand = inputs.contains { $0.withheld > .none }
    }
}

/// The subscriber of an input.
@usableFromInline
struct CombiningSubscriber<Value, Downstream: Subscriber>: Subscriber {
    @usableFromInline let input: CombiningInput<Value>
    @usableFromInline let coordinator: CombiningCoordinator<Downstream>

    @inlinable
    init(input: CombiningInput<Value>, coordinator: CombiningCoordinator<Downstream>) {
        self.input = input
        self.coordinator = coordinator
    }

    @inlinable var combineIdentifier: CombineIdentifier { input.link.combineIdentifier }

    @inlinable var needsEveryValue: Bool { coordinator.needsEveryValue }

    @inlinable
    func receive(subscription: any Subscription) {
        guard input.link.attach(subscription) else { return }
        let awaited = coordinator.awaitedInputs.subtract(1, ordering: .acquiringAndReleasing).newValue
        if awaited == 0 { coordinator.start() }
    }

    @inlinable
    func receive(_ value: Value) -> Subscribers.Demand {
        input.link.isActive ? coordinator.receive(value, from: input) : .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        switch completion {
        case .finished:
            if input.link.complete() { coordinator.submit(.finish { [input] in input.values.finish(&$0) }) }
        case .failure(let error):
            // Combine cancels the input that failed as well.
            if input.link.complete(cancellingUpstream: true) { coordinator.submit(.failure(error)) }
        }
    }
}
