import Synchronization

/// Where the values of several publishers are put together: the shared part of `zip`, `combineLatest` and
/// `withLatestFrom`.
///
/// What an input keeps and when a combination is due is the input's matter (`ZippedInput`, `LatestInput`), noted in a tally that
/// they share; how a combination is made is a closure of the operator. The junction makes all signals serial: they go through a
/// serialiser whose owner alone touches the inputs' values, the tally and the downstream.
///
/// The subscription is handed down when every input has its own. What is requested goes to every input, apart from the one whose
/// value is being delivered, which is told by the return value. Without contention a value costs entering and leaving the
/// serialiser, two atomic operations.
@usableFromInline
final class Junction<Downstream: Subscriber>: Subscription, UnrequestedValuePolicy, CustomStringConvertible,
    CustomReflectable,
    CustomPlaygroundDisplayConvertible
{
    @usableFromInline
    enum Event {
        /// What an input does with a value, or with its end, that came while somebody else was the owner.
        case arrival(() -> Void)
        case failure(Downstream.Failure)
        case start
        case demand
        case cancellation
    }

    @usableFromInline let name: OperatorName
    @usableFromInline let inputs: [JunctionLink]
    @usableFromInline let serialiser = Serialiser<Event>()
    @usableFromInline let awaited: Atomic<Int>

    /// Whether more combinations can come than were asked for, so that they are counted here.
    @usableFromInline let isPaced: Bool
    @usableFromInline let demand = DemandWord()

    /// Whether the inputs keep all values that are not combined yet.
    @usableFromInline let areInputsQueues: Bool

    @usableFromInline let owed = OwedDemand()
    @usableFromInline let over = Atomic<Bool>(false)

    /// Whether the subscriber has received the subscription. Written by the owner of the serialiser.
    @usableFromInline let started = Atomic<Bool>(false)

    // These belong to the owner of the serialiser.
    @usableFromInline let tally: JunctionTally
    @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
    @exclusivity(unchecked) @usableFromInline var combine: () -> Downstream.Input
    @exclusivity(unchecked) @usableFromInline var earlyFailure: Downstream.Failure?

    /// - Parameters:
    ///   - name: Combine's name for the operator.
    ///   - inputs: All there are; each is to be joined to a publisher.
    ///   - tally: The one that the inputs share.
    ///   - isPaced: Whether more combinations can come than were asked for.
    ///   - combine: Takes a value of each input. Called when the tally says that a combination is due.
    @inlinable
    init(
        _ name: OperatorName, inputs: [JunctionLink], tally: JunctionTally, isPaced: Bool, downstream: Downstream,
        combine: @escaping () -> Downstream.Input
    ) {
        self.name = name
        self.inputs = inputs
        self.tally = tally
        self.isPaced = isPaced
        self.downstream = downstream
        self.combine = combine
        awaited = Atomic(inputs.count)
        areInputsQueues = inputs.allSatisfy(\.isQueue)
    }

    /// Subscribes an input to its publisher.
    @inlinable
    func join<P: Publisher, Link: JunctionInput>(_ publisher: P, as link: Link)
    where P.Output == Link.Value, P.Failure == Downstream.Failure {
        publisher.subscribe(JunctionSubscriber(link: link, junction: self))
    }

    /// Notes that one more input has its subscription. The last one makes the junction begin.
    @inlinable
    func attached() {
        if awaited.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { start() }
    }

    @inlinable
    func start() {
        for input in inputs { input.begin() }
        // As the owner what the inputs send while the subscriber asks has to queue. It need not where the inputs keep it all
        // themselves. Nobody else touches the downstream until the start.
        if areInputsQueues { downstream?.receive(subscription: self) }
        submit(.start)
    }

    /// Takes in a value of an input.
    ///
    /// - Returns: How many more are wanted of it at once.
    @inlinable
    func accept<Link: JunctionInput>(_ value: Link.Value, from link: Link) -> Subscribers.Demand {
        if serialiser.enter() {
            link.accept(value)
            advance()
            serialiser.leave { handle($0) }
        } else if serialiser.enqueue(.arrival { link.accept(value) }) {
            serialiser.drain { handle($0) }
        }
        return settle(except: link)
    }

    @inlinable
    func submit(_ event: Event) {
        serialiser.submit(event) { handle($0) }
        _ = settle(except: nil)
    }

    /// Passes on what was asked for while somebody owned the serialiser.
    ///
    /// - Parameter link: The input that is told by the return value.
    @inlinable
    func settle(except link: UpstreamLink?) -> Subscribers.Demand {
        let demand = owed.take()
        if demand > .none {
            for input in inputs where input !== link { input.request(demand) }
        }
        return demand
    }

    @inlinable
    func request(_ demand: Subscribers.Demand) {
        precondition(demand > .none, "a source must be asked for at least one value")
        if isPaced { self.demand.add(demand) }
        owed.add(demand)
        if serialiser.enter() {
            handle(.demand)
            serialiser.leave { handle($0) }
        } else if serialiser.enqueue(.demand) {
            serialiser.drain { handle($0) }
        } else if started.load(ordering: .acquiring) {
            // The owner passes it on; the input whose value it is delivering is told by the return value then, as with Combine.
            return
        }
        _ = settle(except: nil)
    }

    @inlinable
    func cancel() {
        guard !over.exchange(true, ordering: .relaxed) else { return }
        for input in inputs { input.cancel() }
        submit(.cancellation)
    }

    @usableFromInline var dropsUnrequestedValues: Bool { isPaced || inputs.contains { $0.dropsUnrequestedValues } }

    @usableFromInline
    func loseNothing() {
        if dropsUnrequestedValues {
            request(.unlimited)
        } else {
            for input in inputs { input.loseNothing() }
        }
    }

    @usableFromInline var description: String { name.description }
    @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
    @usableFromInline var playgroundDescription: Any { description }
}

/// What only the owner of the serialiser does.
extension Junction {
    /// Delivers what is due, and the completion, if nothing more can come.
    @inlinable
    func advance() {
        guard started.load(ordering: .relaxed) else { return }
        while tally.isDue, let downstream, !over.load(ordering: .relaxed), !isPaced || demand.takeOne() {
            let additional = downstream.receive(combine())
            if additional > .none {
                if isPaced { demand.add(additional) }
                owed.add(additional)
            }
        }
        if tally.wasted > 0 { replaceWasted() }
        if tally.isEnding, !tally.isDue { finish(.finished) }
    }

    @inlinable
    func replaceWasted() {
        owed.add(.max(Int(tally.wasted)))
        tally.wasted = 0
    }

    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .arrival(let arrive):
            arrive()
            advance()
        case .failure(let error) where started.load(ordering: .relaxed):
            finish(.failure(error))
        case .failure(let error):
            earlyFailure = earlyFailure ?? error
        case .start:
            if !areInputsQueues { downstream?.receive(subscription: self) }
            started.store(true, ordering: .releasing)
            if over.load(ordering: .relaxed) {
                _ = letGo()
            } else if let earlyFailure {
                finish(.failure(earlyFailure))
            } else {
                advance()
            }
        case .demand:
            advance()
        case .cancellation:
            // Before the start the downstream is being given its subscription.
            if started.load(ordering: .relaxed) { _ = letGo() }
        }
    }

    /// Ends the stream, unless it has ended.
    @inlinable
    func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
        guard !over.exchange(true, ordering: .relaxed) else { return }
        for input in inputs { input.cancel() }
        letGo()?.receive(completion: completion)
    }

    @inlinable
    func letGo() -> Downstream? {
        for input in inputs { input.empty() }
        combine = { preconditionFailure("nothing is combined after the end") }
        return downstream.take()
    }
}
