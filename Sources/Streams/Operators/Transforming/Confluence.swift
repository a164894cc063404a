import Synchronization

/// Where the publishers of a `flatMap` flow together: it makes their signals serial, and keeps what there is no demand
/// for.
///
/// Signals go through a serialiser, whose owner delivers them. It does not call the sources meanwhile, because one that
/// emits from inside `request` would fill the backlog: what it has to ask of them it notes down, and they are asked
/// once it has left, one after the other, however deep the calls nest (rule 5). Who only adds to the backlog asks
/// nobody: the owner does, as what is to be asked is noted before that. Subscribing to a publisher does not need
/// ownership at all.
///
/// With unlimited demand a value costs entering and leaving the serialiser, two atomic operations.
@usableFromInline
final class Confluence<Downstream: Subscriber>: Subscription, UnrequestedValuePolicy, CustomStringConvertible,
    CustomReflectable, CustomPlaygroundDisplayConvertible
{
    @usableFromInline
    enum Event {
        case value(Downstream.Input, Tributary)
        case end(Subscribers.Completion<Downstream.Failure>, Tributary)
        case outerEnd(Subscribers.Completion<Downstream.Failure>)
        case demand
        case cancellation
    }

    /// The link to the publisher of values.
    @usableFromInline let outer: UpstreamLink

    /// How many tributaries may be open at a time.
    @usableFromInline let capacity: Subscribers.Demand

    /// What the subscriber wants, and whether the stream is over.
    @usableFromInline let demand = DemandWord()
    @usableFromInline let serialiser = Serialiser<Event>()
    @usableFromInline let inquiries = Serialiser<Inquiry>()
    @usableFromInline let hasInquiries = Atomic<Bool>(false)

    @usableFromInline let openTributaries = Locked(OpenTributaries())
    /// The open tributaries, and the outer publisher as long as it has not completed.
    @usableFromInline let sources = Atomic<Int>(1)

    /// Whether values are kept. Set before the demand word is found to be empty, and read after demand was added to it,
    /// so one of the two sides sees the other.
    @usableFromInline let keepsValues = Atomic<Bool>(false)

    /// Whether sources that would drop values are asked for all they have, which are kept here until there is demand.
    @usableFromInline let losesNothing = Atomic<Bool>(false)

    /// These belong to the owner of the serialiser.
    @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
    @exclusivity(unchecked) @usableFromInline var kept = RingBuffer<(value: Downstream.Input, source: Tributary)>()

    @inlinable
    init(_ name: OperatorName, capacity: Subscribers.Demand, downstream: Downstream) {
        outer = UpstreamLink(name)
        self.capacity = capacity
        self.downstream = downstream
    }

    /// Whether a tributary is open: it has not completed, or values of it are kept.
    @usableFromInline var hasTributaries: Bool {
        !openTributaries.withLock { $0.tributaries.isEmpty }
    }

    /// Opens a tributary.
    ///
    /// - Returns: Nil if the stream is over.
    @inlinable
    func open() -> Tributary? {
        let tributary = Tributary(outer.name)
        let isOpen = openTributaries.withLock { open in
            if open.isOver { return false }
            open.tributaries.append(tributary)
            return true
        }
        guard isOpen else { return nil }
        sources.add(1, ordering: .relaxed)
        return tributary
    }

    /// Takes in a value of a tributary.
    ///
    /// - Returns: How many more are wanted of it at once.
    @inlinable
    func accept(_ value: Downstream.Input, from source: Tributary) -> Subscribers.Demand {
        var additional = Subscribers.Demand.none
        if serialiser.enter() {
            additional = deliver(value, from: source)
            serialiser.leave { handle($0) }
        } else {
            guard serialiser.enqueue(.value(value, source)) else { return .none }
            serialiser.drain { handle($0) }
        }
        if hasInquiries.load(ordering: .relaxed) { inquire() }
        return additional
    }

    @inlinable
    func submit(_ event: Event) {
        guard serialiser.submit(event, { handle($0) }) else { return }
        if hasInquiries.load(ordering: .relaxed) { inquire() }
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        precondition(demand > .none, "a source must be asked for at least one value")
        let isDue = add(demand)
        if isDue || keepsValues.load(ordering: .acquiring) { submit(.demand) }
    }

    @usableFromInline
    func cancel() {
        guard !demand.cancel().isCancelled else { return }
        closeAll()
        submit(.cancellation)
    }

    /// How many sources there are at a time stays limited: this is about the values of those that flow together.
    @usableFromInline var dropsUnrequestedValues: Bool { false }

    @usableFromInline
    func loseNothing() {
        losesNothing.store(true, ordering: .sequentiallyConsistent)
        for tributary in current() { tributary.loseNothing() }
    }

    @usableFromInline var description: String { outer.description }
    @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
    @usableFromInline var playgroundDescription: Any { description }
}

/// What only the owner of the serialiser does.
extension Confluence {
    @inlinable
    func deliver(_ value: Downstream.Input, from source: Tributary) -> Subscribers.Demand {
        guard demand.reading == .flowing, kept.isEmpty, let downstream else {
            return deliverCounted(value, from: source)
        }
        _ = downstream.receive(value)
        return .none
    }

    @inlinable
    func deliverCounted(_ value: Downstream.Input, from source: Tributary) -> Subscribers.Demand {
        guard let downstream else { return .none }
        if kept.isEmpty, demand.takeOne() {
            let additional = downstream.receive(value)
            if additional > .none { add(additional) }
            return demand.reading.isUnlimited ? .none : .max(1)
        }
        if demand.reading.isCancelled { return .none }
        kept.append((value, source))
        source.keptValues += 1
        keepsValues.store(true, ordering: .relaxed)
        deliverKept()
        return .none
    }

    /// Delivers kept values as far as there is demand, and asks for one more of each source that delivered.
    @inlinable
    func deliverKept() {
        while let downstream, !kept.isEmpty, demand.takeOne() {
            guard let (value, source) = kept.popFirst() else { break }
            source.keptValues -= 1
            let additional = downstream.receive(value)
            if additional > .none { add(additional) }
            if source.isExhausted {
                if source.keptValues == 0 { close(source) }
            } else if !demand.reading.isUnlimited, mayAsk(source) {
                note(Inquiry(source: source, demand: .max(1)))
            }
        }
        if kept.isEmpty { keepsValues.store(false, ordering: .relaxed) }
    }

    /// Whether a source may be asked for a value in place of one that was kept. Where nothing is to be lost, one that drops
    /// values has sent more than it was asked for, and what it has sent comes first.
    @inlinable
    func mayAsk(_ source: Tributary) -> Bool {
        source.keptValues == 0 || !losesNothing.load(ordering: .relaxed)
    }

    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .value(let value, let source):
            let additional = deliver(value, from: source)
            if additional > .none { note(Inquiry(source: source, demand: additional)) }
        case .end(.finished, let source):
            source.isExhausted = true
            if source.keptValues == 0 { close(source) }
        case .outerEnd(.finished):
            endSource()
        case .end(.failure(let error), _), .outerEnd(.failure(let error)):
            if !demand.cancel().isCancelled {
                closeAll()
                finish(.failure(error))
            }
        case .demand:
            deliverKept()
        case .cancellation:
            finish(nil)
        }
    }

    @inlinable
    func close(_ source: Tributary) {
        let closed = openTributaries.withLock { $0.tributaries.remove(at: source.place) }
        guard closed != nil else { return }
        endSource()
        if capacity != .unlimited { note(Inquiry(source: outer, demand: .max(1))) }
    }

    @inlinable
    func endSource() {
        guard sources.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        if !demand.cancel().isCancelled { finish(.finished) }
    }

    /// Lets go of everything, and delivers the completion, if there is one.
    @inlinable
    func finish(_ completion: Subscribers.Completion<Downstream.Failure>?) {
        kept = RingBuffer()
        let finished = downstream.take()
        if let completion { finished?.receive(completion: completion) }
    }
}

/// What any thread does.
extension Confluence {
    /// Adds to the demand. Once that is unlimited, so is the demand for what each source has.
    ///
    /// - Returns: Whether sources are to be asked.
    @inlinable
    @discardableResult
    func add(_ additional: Subscribers.Demand) -> Bool {
        let change = demand.update { $0.adding(additional) }
        guard change.new.isUnlimited, !change.old.isUnlimited, !change.new.isCancelled else { return false }
        let tributaries = current()
        for tributary in tributaries { note(Inquiry(source: tributary, demand: .unlimited)) }
        return !tributaries.isEmpty
    }

    /// Those that are open.
    @inlinable
    func current() -> [Tributary] {
        openTributaries.withLock { $0.current }.tributaries
    }

    /// Puts off asking a source, until `inquire()`.
    @inlinable
    func note(_ inquiry: Inquiry) {
        inquiries.append(inquiry)
        hasInquiries.store(true, ordering: .releasing)
    }

    /// Asks the sources what was noted. If that is under way already, further up the stack or on another thread, it is
    /// done there.
    @inlinable
    func inquire() {
        guard hasInquiries.exchange(false, ordering: .acquiring) else { return }
        guard inquiries.claimBacklog() else { return }
        inquiries.drain { $0.source.request($0.demand) }
    }

    @inlinable
    func closeAll() {
        let taken = openTributaries.withLock { $0.end() }
        // In Combine's order.
        for tributary in taken.tributaries { tributary.cancel() }
        outer.cancel()
    }
}
