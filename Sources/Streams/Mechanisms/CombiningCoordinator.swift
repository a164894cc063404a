import Synchronization

/// Combines the values of several publishers for `zip`, `combineLatest`, `withLatestFrom` and `sample(_:)`.
///
/// Each input stores values by its `Retention`, and the coordinator's state shows when a combination is due. The
/// values, the state and the downstream belong to the draining thread. The subscriber receives its subscription when
/// all inputs have theirs. A request goes to every input, when the drain has been left. The input whose value is being
/// delivered gets it as the return value.
///
/// A value that makes no combination, as another input has none yet, uses up no demand: another value is requested from
/// its input. So every input can always make the combinations that are still requested.
///
/// A source that emits from inside `request` may be endless, and keeps other inputs from being requested meanwhile. So a
/// batch at a time is requested from it until its values make combinations, and for `zip` all the time.
@usableFromInline
final class CombiningCoordinator<Downstream: Subscriber>: NamedSubscription {
    @usableFromInline
    enum Event {
        /// A value of an input. The closure stores it, and returns whether it makes no combination.
        case value(CombiningLink, (inout CombiningState) -> Bool)
        case update((inout CombiningState) -> Void)
        case failure(Downstream.Failure)
        case subscription
        case demand(Subscribers.Demand)
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
    @usableFromInline let sampled: [CombiningLink]
    @usableFromInline let replacesUnrequested: Bool
    /// Whether the subscriber buffers every value.
    @usableFromInline let needsEveryValue: Bool
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
    /// Whether the subscriber has received its subscription.
    @exclusivity(unchecked) @usableFromInline var isStarted = false
    @exclusivity(unchecked) @usableFromInline var state: CombiningState
    @exclusivity(unchecked) @usableFromInline var demand = Subscribers.Demand.none
    @exclusivity(unchecked) @usableFromInline var failure: Downstream.Failure?
    @exclusivity(unchecked) @usableFromInline var hasWithheldDemand = false
    /// The number of combinations since the last request to the batched inputs of a `zip`.
    @exclusivity(unchecked) @usableFromInline var unrequestedCombinations = 0
    @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
    @exclusivity(unchecked) @usableFromInline var combine: ((inout CombiningState) -> Downstream.Input)?

    /// - Parameters:
    ///   - inputs: The inputs to which the subscriber's requests are forwarded.
    ///   - sampled: The inputs from which all values are requested at once.
    ///   - replacesUnrequested: Whether a combination that was not requested waits, and a newer one replaces it.
    ///     Otherwise it is delivered: there are no more than were requested from the inputs, or the subscriber buffers
    ///     them.
    ///   - combine: A closure that takes a value of each input.
    @inlinable
    init(
        _ name: String, _ inputs: [CombiningLink], sampled: [CombiningLink] = [], replacesUnrequested: Bool,
        downstream: Downstream, combine: @escaping (inout CombiningState) -> Downstream.Input
    ) {
        self.name = name
        self.inputs = inputs
        self.sampled = sampled
        self.replacesUnrequested = replacesUnrequested
        needsEveryValue = downstream.needsEveryValue
        self.downstream = downstream
        self.combine = combine
        state = CombiningState(inputCount: inputs.count + sampled.count)
        awaitedInputs = Atomic(inputs.count + sampled.count)
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
        // Of a stream that `sample(_:)` waits for the end of, all values are requested.
        for input in sampled {
            if samplesOnce { input.request(.unlimited) } else { requestAll(of: input) }
        }
        submit(.subscription)
        if needsEveryValue, replacesUnrequested { request(.unlimited) }
    }

    /// Stores a value, and delivers the combinations that become due.
    ///
    /// - Returns: The number of values that are requested of the input in return.
    @inlinable
    func receive<Value>(_ value: Value, from input: CombiningInput<Value>) -> Subscribers.Demand {
        let returned = input.link.noteValue()
        var hasDrained = false
        _ = signals.perform(
            {
                hasDrained = true
                store(in: input.link) { input.store(value, &$0) }
            }, orEnqueue: .value(input.link) { input.store(value, &$0) }
        ) { event in
            hasDrained = true
            handle(event)
        }
        return hasDrained && requests.arePending ? returned + sendRequests(returningTo: input.link) : returned
    }

    @inlinable
    func submit(_ event: Event) {
        let hasDrained = signals.submit(event) { handle($0) }
        if hasDrained, requests.arePending { sendRequests(returningTo: nil) }
    }

    /// Passes the deferred requests on.
    ///
    /// - Parameter caller: The input whose value is being delivered, to which demand is returned.
    /// - Returns: The number of values that are requested of the caller.
    @usableFromInline
    @discardableResult
    func sendRequests(returningTo caller: CombiningLink?) -> Subscribers.Demand {
        var returned = Subscribers.Demand.none
        requests.send { returned += pass($0, returningTo: caller) }
        return returned
    }

    private func pass(_ request: Request, returningTo caller: CombiningLink?) -> Subscribers.Demand {
        switch request {
        case .all(let input):
            requestAll(of: input)
            return .none
        case .values(let demand, let target):
            for input in target.map({ [$0] }) ?? inputs where input !== caller { input.request(demand) }
            return target == nil || target === caller ? demand : .none
        }
    }

    /// Requests all values of an input, a batch at a time if the source emits from inside the request.
    @usableFromInline
    func requestAll(of input: CombiningLink) {
        mayHaveBatches.store(true, ordering: .relaxed)
        input.requestAll()
        if !inputs.contains(where: isBatched), !sampled.contains(where: isBatched) {
            mayHaveBatches.store(false, ordering: .relaxed)
        }
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        if demand > .none { submit(.demand(demand)) }
    }

    @usableFromInline
    func cancel() {
        guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
        for input in sampled + inputs { input.cancel() }
        submit(.update { _ in })
    }

    /// Whether all inputs queue their values.
    @inlinable var isZip: Bool { !replacesUnrequested && sampled.isEmpty }

    /// Whether this is the coordinator of `sample(_:)`, which delivers a value once.
    @inlinable var samplesOnce: Bool { replacesUnrequested && !sampled.isEmpty }

    @usableFromInline var dropsUnrequestedValues: Bool { replacesUnrequested }

    @usableFromInline var description: String { name }
}

// For the draining thread.
extension CombiningCoordinator {
    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .value(let input, let body):
            // A value that was underway at the end is not stored, as nothing would release it.
            return downstream == nil ? () : store(in: input, body)
        case .update(let body):
            body(&state)
        case .failure(let error):
            failure = failure ?? error
            state.isEnding = true
        case .subscription:
            downstream?.receive(subscription: self)
            isStarted = true
        case .demand(let requested):
            add(requested)
        }
        advance()
    }

    /// Stores a value, and delivers the combinations that become due.
    ///
    /// - Parameter body: Stores the value. Returns whether it makes no combination.
    @inlinable
    @inline(__always)
    func store(in input: CombiningLink, _ body: (inout CombiningState) -> Bool) {
        if body(&state), demand > .none, demand < .unlimited { replaceValue(of: input) }
        if hasWithheldDemand { requestWithheldDemand() }
        advance()
    }

    /// Delivers the combinations that are due, and the completion if no other can become due.
    @inlinable
    func advance() {
        guard isStarted else { return }
        while state.isDue, failure == nil, demand > .none || !replacesUnrequested, !isOver.load(ordering: .relaxed),
            let combination = combine?(&state)
        {
            if demand < .unlimited { demand -= .max(1) }
            if let requested = downstream?.receive(combination), requested > .none { add(requested) }
            if mayHaveBatches.load(ordering: .relaxed) { continueBatches() }
        }
        let isEnding = state.isEnding && (!state.isDue || failure != nil)
        guard isEnding || isOver.load(ordering: .relaxed) else { return }
        let isCancelled = isOver.exchange(true, ordering: .acquiringAndReleasing)
        let completion = failure.take().map { Subscribers.Completion.failure($0) } ?? .finished
        let subscriber = downstream.take()
        combine = nil
        guard !isCancelled else { return }
        for input in sampled + inputs { input.cancel() }
        subscriber?.receive(completion: completion)
    }
}

// The requests that the draining thread defers.
extension CombiningCoordinator {
    /// Adds demand of the subscriber, and requests it from the inputs.
    @inlinable
    func add(_ requested: Subscribers.Demand) {
        let wasUnlimited = demand == .unlimited
        demand += requested
        if demand < .unlimited {
            requests.add(.values(requested, of: nil))
        } else if !wasUnlimited {
            requestAll()
        }
    }

    /// Requests all values of the inputs.
    @inlinable
    func requestAll() {
        mayHaveBatches.store(true, ordering: .relaxed)
        for input in inputs {
            input.isBatched.store(true, ordering: .relaxed)
            if !isZip { withhold(.unlimited, from: input) }
            requests.add(.all(of: input))
        }
    }

    /// Requests the values after a combination that batched inputs have given one to.
    @inlinable
    func continueBatches() {
        // The latest values are kept anyway, but those of a zip are stored.
        for input in sampled where isBatched(input) { requests.add(.values(.max(1), of: input)) }
        guard isZip else { return }
        unrequestedCombinations += 1
        let half = CombiningLink.batchSize / 2
        guard unrequestedCombinations == half else { return }
        unrequestedCombinations = 0
        for input in inputs where isBatched(input) { requests.add(.values(.max(half), of: input)) }
    }

    @inlinable
    func isBatched(_ input: CombiningLink) -> Bool { input.isBatched.load(ordering: .relaxed) }

    /// Requests another value in place of one that made no combination.
    @inlinable
    func replaceValue(of input: CombiningLink) {
        input.replacedCount += 1
        if input.replacedCount > CombiningLink.batchSize, input.emitsInsideRequest {
            withhold(.max(1), from: input)
        } else {
            requests.add(.values(.max(1), of: input))
        }
    }

    @inlinable
    func withhold(_ demand: Subscribers.Demand, from input: CombiningLink) {
        input.withheld += demand
        hasWithheldDemand = true
    }

    /// Requests what was withheld, as soon as each value makes a combination.
    @inlinable
    func requestWithheldDemand() {
        // Of inputs with a trigger, only that may have no value.
        guard state.missingInputs <= (sampled.isEmpty ? 0 : 1) else { return }
        for input in inputs {
            // Of an input that is not batched, all values have been requested already.
            if input.withheld == .unlimited, !isBatched(input) { input.withheld = .none }
            // Of `sample(_:)`, only one value of the trigger makes a combination.
            let granted = samplesOnce ? min(input.withheld, .max(CombiningLink.batchSize)) : input.withheld
            input.withheld = samplesOnce ? input.withheld - granted : .none
            input.replacedCount = 0
            if granted > .none { requests.add(.values(granted, of: input)) }
        }
        hasWithheldDemand = inputs.contains { $0.withheld > .none }
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
            if input.link.complete() { coordinator.submit(.update { [input] in input.finish(&$0) }) }
        case .failure(let error):
            // Combine cancels the input that failed as well.
            if input.link.complete(cancellingUpstream: true) { coordinator.submit(.failure(error)) }
        }
    }
}
