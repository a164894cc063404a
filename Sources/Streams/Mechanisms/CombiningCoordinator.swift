import Synchronization

/// Combines the values of several publishers for `zip`, `combineLatest`, `withLatestFrom` and `sample(_:)`.
///
/// The signals of all publishers are events of a ``StateDrain``. Each input keeps its `CombiningValues` by its policy, and
/// the state shows when a combination is due. The subscriber receives its subscription when all inputs have theirs. A
/// request goes to every input.
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
    struct State: ~Copyable, DrainState {
        @usableFromInline var recipient: Recipient<Downstream>
        /// Takes a value of each input.
        @usableFromInline var combine: ((inout CombiningState) -> Downstream.Input)?
        @usableFromInline var inputs: CombiningState
        @usableFromInline var failure: Downstream.Failure?
        @usableFromInline var demand = Subscribers.Demand.none
        @usableFromInline var requests = LinkRequests()
        /// Whether the subscriber has received its subscription.
        @usableFromInline var isStarted = false
        /// Whether there may be batched inputs.
        @usableFromInline var mayHaveBatches: Bool
        /// Whether demand is withheld from an input.
        @usableFromInline var hasWithheldDemand = false
        /// The number of combinations since the last request to the batched inputs of a `zip`.
        @usableFromInline var unrequestedCombinations = 0

        @inlinable
        init(
            inputs: [CombiningLink], downstream: Downstream,
            combine: @escaping (inout CombiningState) -> Downstream.Input
        ) {
            recipient = .open(downstream)
            self.combine = combine
            self.inputs = CombiningState(inputCount: inputs.count)
            mayHaveBatches = inputs.contains { $0.policy == .sampled }
        }

        /// Whether no further combination is delivered.
        @inlinable var isEnding: Bool { failure != nil || inputs.isEnding && !inputs.isDue }
    }

    @usableFromInline let name: String
    @usableFromInline let inputs: [CombiningLink]
    @usableFromInline let dropsUnrequestedValues: Bool
    /// Whether the subscriber buffers every value.
    @usableFromInline let needsEveryValue: Bool
    /// Delivers what a request allows. A closure is specialised where it is created, a dynamic method is not.
    @usableFromInline let onRequest: (CombiningCoordinator, Subscribers.Demand) -> Void
    /// The number of inputs without a subscription.
    @usableFromInline let awaitedInputs: Atomic<Int>
    @usableFromInline let end = EndFlag()
    @usableFromInline let drain: StateDrain<State, Event>

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
        awaitedInputs = Atomic(inputs.count)
        drain = StateDrain(State(inputs: inputs, downstream: downstream, combine: combine))
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
            input.isBatched.store(input.policy == .sampled, ordering: .relaxed)
            input.send(.unlimited)
        }
        submit(.subscription)
        if needsEveryValue, dropsUnrequestedValues { request(.unlimited) }
    }

    /// Stores a value, and delivers the combinations that become due.
    ///
    /// - Returns: The number of values that are requested of the input in return.
    @inlinable
    func receive<Value>(_ value: Value, from input: CombiningInput<Value>) -> Subscribers.Demand {
        let link = input.link
        let replaced = link.noteValue()
        var returned = Subscribers.Demand.none
        let later = drain.perform(
            { state in returned = store(in: link, &state) { input.values.store(value, &$0) } },
            orEnqueue: .value(link) { input.values.store(value, &$0) }, returningTo: link, for: self
        ) { $0.handle($1, &$2) }
        if later > .none { returned += later }
        if returned == .none { return replaced }
        if returned < .unlimited, link.policy == .queue || !drain.isSending { return returned + replaced }
        // All values are requested in batches. And the replacement of a value that made no combination is requested after
        // the first values of other inputs.
        drain.send(returned, to: link)
        return replaced
    }

    @inlinable
    func submit(_ event: Event) {
        drain.submit(event, for: self) { $0.handle($1, &$2) }
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        if demand > .none { onRequest(self, demand) }
    }

    @usableFromInline
    func cancel() {
        guard end.set() else { return }
        for input in inputs { input.cancel() }
        submit(.cancellation)
    }

    @usableFromInline var description: String { name }
}

// The turns of the drain.
extension CombiningCoordinator {
    @inlinable
    func handle(_ event: Event, _ state: inout State) {
        switch event {
        case .value(let input, let body): return state.requests.add(store(in: input, &state, body), to: input)
        case .finish(let body): body(&state.inputs)
        case .failure(let error): state.failure = state.failure ?? error
        case .subscription:
            state.recipient.receive(subscription: self)
            state.isStarted = true
        case .demand(let requested): add(requested, &state)
        case .cancellation: break
        }
        advance(&state)
    }

    /// Stores a value by a closure, and delivers the combinations that become due.
    ///
    /// - Returns: The demand for other values of the input.
    @inlinable
    @inline(__always)
    func store(
        in input: CombiningLink, _ state: inout State, _ body: (inout CombiningState) -> Void
    ) -> Subscribers.Demand {
        // A value that was underway at the end is not stored, as nothing would release it.
        guard state.combine != nil else { return .none }
        body(&state.inputs)
        var demand = Subscribers.Demand.none
        if !state.inputs.isDue, input.policy.replacesValues, state.demand > .none, state.demand < .unlimited,
            replacesValue(of: input, &state)
        {
            demand = .max(1)
        }
        if state.hasWithheldDemand { requestWithheldDemand(&state) }
        return demand + advance(&state, after: input)
    }

    /// Delivers the combinations that are due, and the completion if no other can become due.
    ///
    /// - Parameter input: The input whose value has come.
    /// - Returns: The demand for other values of the input.
    @inlinable
    @discardableResult
    func advance(_ state: inout State, after input: CombiningLink? = nil) -> Subscribers.Demand {
        var demand = Subscribers.Demand.none
        guard state.isStarted else { return demand }
        while state.inputs.isDue, state.failure == nil, state.demand > .none || !dropsUnrequestedValues,
            !end.isSet, let combination = state.combine?(&state.inputs)
        {
            if state.demand < .unlimited { state.demand -= .max(1) }
            demand += add(state.recipient.receive(combination), &state, after: input)
            if state.mayHaveBatches { continueBatches(&state) }
        }
        if state.isEnding || end.isSet { finish(&state) }
        return demand
    }

    /// Releases everything, and delivers the completion unless the stream was cancelled.
    @inlinable
    func finish(_ state: inout State) {
        let completion = state.failure.take().map { Subscribers.Completion.failure($0) } ?? .finished
        let subscriber = state.recipient.release()
        state.combine = nil
        guard end.set() else { return }
        for input in inputs { input.cancel() }
        subscriber?.receive(completion: completion)
    }

    /// Adds demand of the subscriber, and requests it from the inputs.
    ///
    /// - Parameter input: The input whose value has come.
    /// - Returns: The demand for other values of that input.
    @inlinable
    @discardableResult
    func add(
        _ requested: Subscribers.Demand, _ state: inout State, after input: CombiningLink? = nil
    ) -> Subscribers.Demand {
        guard requested > .none, state.demand < .unlimited else { return .none }
        state.demand += requested
        guard state.demand < .unlimited else {
            requestAll(&state)
            return .none
        }
        for other in inputs where other !== input && !other.policy.isSampled {
            state.requests.add(requested, to: other)
        }
        guard let input, !input.policy.isSampled else { return .none }
        return requested
    }
}

// Values that are requested of single inputs.
extension CombiningCoordinator {
    /// Requests all values of the inputs, in batches.
    @inlinable
    func requestAll(_ state: inout State) {
        state.mayHaveBatches = true
        state.hasWithheldDemand = inputs.contains { $0.policy.replacesValues }
        for input in inputs where !input.policy.isSampled {
            input.isBatched.store(true, ordering: .relaxed)
            if input.policy.replacesValues { input.withheld = .unlimited }
            state.requests.add(.unlimited, to: input)
        }
    }

    /// Requests the values after a combination that batched inputs have given one to.
    @inlinable
    func continueBatches(_ state: inout State) {
        let half = CombiningLink.batchSize / 2
        state.unrequestedCombinations = (state.unrequestedCombinations + 1) % half
        let isHalf = state.unrequestedCombinations == 0
        state.mayHaveBatches = false
        for input in inputs where isBatched(input) {
            state.mayHaveBatches = true
            // The latest values are kept anyway, but those of a zip are queued.
            if input.policy.isSampled { state.requests.add(.max(1), to: input) }
            if isHalf, input.policy == .queue { state.requests.add(.max(half), to: input) }
        }
    }

    @inlinable
    func isBatched(_ input: CombiningLink) -> Bool { input.isBatched.load(ordering: .relaxed) }

    /// Returns whether to request another value in place of one that made no combination, and withholds the demand
    /// otherwise.
    @inlinable
    func replacesValue(of input: CombiningLink, _ state: inout State) -> Bool {
        input.replacedCount += 1
        guard input.replacedCount > CombiningLink.batchSize, input.emitsInsideRequest else { return true }
        input.withheld += 1
        state.hasWithheldDemand = true
        return false
    }

    /// Requests the demand that was withheld, as soon as each value makes a combination.
    @inlinable
    func requestWithheldDemand(_ state: inout State) {
        // Of inputs with a trigger, only that may have no value.
        let missing = state.inputs.missingInputs
        guard missing == 0 || missing == 1 && inputs.contains(where: \.policy.isSampled) else { return }
        let samplesOnce = inputs.contains { $0.policy == .sampledOnce }
        for input in inputs {
            // Of an input that is not batched, all values have been requested already.
            if input.withheld == .unlimited, !isBatched(input) { input.withheld = .none }
            // If a value is sampled once, only one value of the trigger makes a combination with it.
            let granted = samplesOnce ? min(input.withheld, .max(CombiningLink.batchSize)) : input.withheld
            input.withheld = samplesOnce ? input.withheld - granted : .none
            input.replacedCount = 0
            if granted == .unlimited { input.isBatched.store(false, ordering: .relaxed) }
            state.requests.add(granted, to: input)
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
