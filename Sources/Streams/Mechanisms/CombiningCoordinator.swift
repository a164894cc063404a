import Synchronization

/// Where the values of several publishers are put together: the shared part of `zip`, `combineLatest` and
/// `withLatestFrom`.
///
/// What an input keeps and when a combination is due is the input's matter (`QueuedInput`, `LatestInput`), noted in a state that
/// they share; how a combination is made is a closure of the operator. The coordinator makes all signals serial: they go through a
/// signals whose owner alone touches the inputs' values, the state and the downstream.
///
/// The subscription is handed down when every input has its own. What is requested goes to every input, apart from the one
/// whose value is being delivered, which is told by the return value. It is counted here as well, as more may come. Without
/// contention and with unlimited demand a value costs entering and leaving the signals, two atomic operations.
@usableFromInline
final class CombiningCoordinator<Downstream: Subscriber>: NamedSubscription, BackpressureTraits {
    /// What becomes of a combination that is due and that nobody has asked for.
    @usableFromInline
    enum Unrequested {
        /// It is delivered, as in Combine, or where nothing is to be lost its values stay in their inputs, and others behind
        /// them: inputs are asked for more than is wanted then.
        case waits
        /// It waits, and the next one takes its place.
        case isReplaced
        /// It is delivered: there are as many as an input was asked for.
        case isDelivered
    }

    @usableFromInline
    enum Event {
        /// What an input does with a value, or with its end, that came while somebody else was the owner.
        case arrival(() -> Void)
        case failure(Downstream.Failure)
        case start
        case demand
        case cancellation
    }

    @usableFromInline let name: String
    @usableFromInline let inputs: [CombiningLink]
    @usableFromInline let signals = SerialDrain<Event>()
    @usableFromInline let unrequested: Unrequested

    /// How many inputs have no subscription yet.
    @usableFromInline let awaited: Atomic<Int>

    /// What the subscriber wants, and whether the stream is over.
    @usableFromInline let demand = AtomicDemand()

    /// What the inputs have not been asked for yet.
    @usableFromInline let deferredDemand = DeferredDemand()

    /// Whether the subscriber keeps what it is given, and nothing is to be lost.
    @usableFromInline let keepsUnrequestedValues = Atomic<Bool>(false)

    /// Whether the subscriber has received the subscription. Written by the owner of the signals.
    @usableFromInline let started = Atomic<Bool>(false)

    // These belong to the owner of the signals.
    @usableFromInline let state: CombiningState
    @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
    @exclusivity(unchecked) @usableFromInline var combine: () -> Downstream.Input
    @exclusivity(unchecked) @usableFromInline var failure: Downstream.Failure?

    /// - Parameters:
    ///   - name: Combine's name for the operator.
    ///   - inputs: All there are; each is to be joined to a publisher.
    ///   - state: The one that the inputs share.
    ///   - unrequested: What becomes of a combination that nobody has asked for.
    ///   - combine: Takes a value of each input. Called when the state says that a combination is due.
    @inlinable
    init(
        _ name: String, inputs: [CombiningLink], state: CombiningState, unrequested: Unrequested,
        downstream: Downstream, combine: @escaping () -> Downstream.Input
    ) {
        self.name = name
        self.inputs = inputs
        self.state = state
        self.unrequested = unrequested
        self.downstream = downstream
        self.combine = combine
        awaited = Atomic(inputs.count)
    }

    /// Subscribes an input to its publisher.
    @inlinable
    func join<P: Publisher, Link: CombiningInput>(_ publisher: P, as link: Link)
    where P.Output == Link.Value, P.Failure == Downstream.Failure {
        publisher.subscribe(CombiningSubscriber(link: link, coordinator: self))
    }

    /// Notes that one more input has its subscription. The last one makes the coordinator begin.
    @inlinable
    func attached() {
        if awaited.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { start() }
    }

    @inlinable
    func start() {
        for input in inputs { input.begin() }
        // From the owner, so that what the inputs send while the subscriber asks goes to the backlog. It need not where
        // the inputs keep it all themselves. Nobody else touches the downstream until the start.
        if unrequested == .waits { downstream?.receive(subscription: self) }
        submit(.start)
    }

    /// Takes in a value of an input.
    ///
    /// - Returns: How many more are wanted of it at once.
    @inlinable
    func accept<Link: CombiningInput>(_ value: Link.Value, from link: Link) -> Subscribers.Demand {
        if signals.enter() {
            link.accept(value)
            advance()
            signals.leave { handle($0) }
        } else if signals.enqueue(.arrival { link.accept(value) }) {
            signals.drain { handle($0) }
        }
        return passOnDemand(except: link)
    }

    @inlinable
    func submit(_ event: Event) {
        signals.submit(event) { handle($0) }
        _ = passOnDemand(except: nil)
    }

    /// Passes on what was asked for while somebody owned the signals.
    ///
    /// - Parameter link: The input that is told by the return value.
    @inlinable
    func passOnDemand(except link: UpstreamLink?) -> Subscribers.Demand {
        let demand = deferredDemand.take()
        if demand > .none {
            for input in inputs where input !== link { input.request(demand) }
        }
        return demand
    }

    @inlinable
    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        self.demand.add(demand)
        deferredDemand.add(demand)
        if signals.enter() {
            handle(.demand)
            signals.leave { handle($0) }
        } else if signals.enqueue(.demand) {
            signals.drain { handle($0) }
        } else if started.load(ordering: .acquiring) {
            // The owner passes it on when it leaves, to the input whose value it is delivering by the return value, as with
            // Combine.
            return
        }
        // Before the start the owner is handing the subscription down, and what is asked for from inside that is served
        // at once (rule 2).
        _ = passOnDemand(except: nil)
    }

    @inlinable
    func cancel() {
        guard !demand.cancel().isCancelled else { return }
        for input in inputs { input.cancel() }
        submit(.cancellation)
    }

    @usableFromInline var dropsUnrequestedValues: Bool {
        switch unrequested {
        case .waits: false
        case .isReplaced: true
        case .isDelivered: inputs.contains { $0.dropsUnrequestedValues }
        }
    }

    @usableFromInline
    func keepUnrequestedValues() {
        keepsUnrequestedValues.store(true, ordering: .relaxed)
        if dropsUnrequestedValues {
            request(.unlimited)
        } else {
            for input in inputs { input.keepUnrequestedValues() }
        }
    }

    /// Whether the subscriber has cancelled, or its completion is being delivered.
    @inlinable var isOver: Bool { demand.reading.isCancelled }

    @usableFromInline var description: String { name }
}

/// What only the owner of the signals does.
extension CombiningCoordinator {
    /// Delivers what is due, and the completion, if nothing more can come.
    @inlinable
    func advance() {
        guard started.load(ordering: .relaxed) else { return }
        while state.isDue, let downstream, demand.reading == .flowing || takeDemand() {
            let additional = downstream.receive(combine())
            if additional > .none {
                demand.add(additional)
                deferredDemand.add(additional)
            }
        }
        if state.wasted > 0 { replaceWasted() }
        if state.isEnding, !state.isDue || downstream == nil { end() }
    }

    /// Counts a combination that is about to be delivered.
    ///
    /// - Returns: Whether it may be.
    @inlinable
    func takeDemand() -> Bool {
        demand.takeOne() || passesSurplus
    }

    /// Whether a combination is delivered that was not asked for.
    @inlinable var passesSurplus: Bool {
        switch unrequested {
        case .waits: !isOver && !keepsUnrequestedValues.load(ordering: .relaxed)
        case .isReplaced: false
        case .isDelivered: !isOver
        }
    }

    @inlinable
    func replaceWasted() {
        deferredDemand.add(.max(Int(state.wasted)))
        state.wasted = 0
    }

    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .arrival(let arrive):
            arrive()
            advance()
        case .failure(let error):
            failure = failure ?? error
            if started.load(ordering: .relaxed) { fail() }
        case .start:
            if unrequested != .waits { downstream?.receive(subscription: self) }
            started.store(true, ordering: .releasing)
            if isOver {
                release()
            } else if failure != nil {
                fail()
            } else {
                advance()
            }
        case .demand:
            advance()
        case .cancellation:
            // Before the start the downstream is being given its subscription.
            if started.load(ordering: .relaxed) { release() }
        }
    }

    /// Ends the stream because of a failure: at once, or after the combinations there are, if none is to be lost.
    @inlinable
    func fail() {
        guard unrequested == .waits, keepsUnrequestedValues.load(ordering: .relaxed) else { return end() }
        for input in inputs { input.cancel() }
        state.isEnding = true
        advance()
    }

    /// Ends the stream. If it has ended already, lets go of what was on its way then.
    @inlinable
    func end() {
        let isOver = demand.cancel().isCancelled
        if !isOver {
            for input in inputs { input.cancel() }
        }
        let completion = failure.map { Subscribers.Completion.failure($0) } ?? .finished
        let released = release()
        if !isOver { released?.receive(completion: completion) }
    }

    /// Lets go of everything, and of what is still to come.
    ///
    /// - Returns: The subscriber, if it was still there.
    @inlinable
    @discardableResult
    func release() -> Downstream? {
        for input in inputs { input.empty() }
        failure = nil
        state.isEnding = true
        combine = { preconditionFailure("nothing is combined after the end") }
        return downstream.take()
    }
}

/// The receiving half of an input.
@usableFromInline
struct CombiningSubscriber<Link: CombiningInput, Downstream: Subscriber>: Subscriber {
    @usableFromInline let link: Link
    @usableFromInline let coordinator: CombiningCoordinator<Downstream>

    @inlinable var combineIdentifier: CombineIdentifier { link.combineIdentifier }

    @inlinable
    init(link: Link, coordinator: CombiningCoordinator<Downstream>) {
        self.link = link
        self.coordinator = coordinator
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription) { coordinator.attached() }
    }

    @inlinable
    func receive(_ input: Link.Value) -> Subscribers.Demand {
        link.isActive ? coordinator.accept(input, from: link) : .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        switch completion {
        case .finished:
            let link = link
            if link.complete() { coordinator.submit(.arrival { link.end() }) }
        case .failure(let error):
            // Combine cancels the input that failed as well.
            if link.complete(cancellingUpstream: true) { coordinator.submit(.failure(error)) }
        }
    }
}

extension CombiningCoordinator {
    /// Subscribes all inputs to their publishers, or begins at once if there are none.
    @inlinable
    func join<P: Publisher, Link: CombiningInput>(_ publishers: [P], as links: [Link])
    where P.Output == Link.Value, P.Failure == Downstream.Failure {
        if links.isEmpty { start() }
        for (publisher, link) in Swift.zip(publishers, links) { join(publisher, as: link) }
    }
}
