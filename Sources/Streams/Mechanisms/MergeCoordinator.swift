import Synchronization

/// Where the publishers of a `flatMap` flow together: it makes their signals serial, and keeps what there is no demand
/// for.
///
/// Signals go through a signals, whose owner delivers them. It does not call the sources meanwhile, because one that
/// emits from inside `request` would fill the backlog: what it has to ask of them it notes down, and they are asked
/// once it has left, one after the other, however deep the calls nest (rule 5). Who only adds to the backlog asks
/// nobody: the owner does, as what is to be asked is noted before that. Subscribing to a publisher does not need
/// ownership at all.
///
/// With unlimited demand a value costs entering and leaving the signals, two atomic operations.
@usableFromInline
final class MergeCoordinator<Downstream: Subscriber>: NamedSubscription, BackpressureTraits {
    @usableFromInline
    enum Event {
        case value(Downstream.Input, InnerSubscription)
        case end(Subscribers.Completion<Downstream.Failure>, InnerSubscription)
        case outerEnd(Subscribers.Completion<Downstream.Failure>)
        case demand
        case cancellation
    }

    /// The link to the publisher of values.
    @usableFromInline let outer = UpstreamLink()
    @usableFromInline let name: String

    /// How many inners may be open at a time.
    @usableFromInline let capacity: Subscribers.Demand

    /// What the subscriber wants, and whether the stream is over.
    @usableFromInline let demand = AtomicDemand()
    @usableFromInline let signals = SerialDrain<Event>()
    @usableFromInline let pendingRequests = SerialDrain<PendingRequest>()
    @usableFromInline let hasPendingRequests = Atomic<Bool>(false)

    @usableFromInline let openInners = Locked(OpenInnerSubscriptions())
    /// The open inners, and the outer publisher as long as it has not completed.
    @usableFromInline let sources = Atomic<Int>(1)

    /// Whether values are kept. Set before the demand word is found to be empty, and read after demand was added to it,
    /// so one of the two sides sees the other.
    @usableFromInline let hasBufferedValues = Atomic<Bool>(false)

    /// Whether sources that would drop values are asked for all they have, which are kept here until there is demand.
    @usableFromInline let keepsUnrequestedValues = Atomic<Bool>(false)

    /// These belong to the owner of the signals.
    @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
    @exclusivity(unchecked) @usableFromInline var kept = RingBuffer<
        (value: Downstream.Input, source: InnerSubscription)
    >()

    @inlinable
    init(_ name: String, capacity: Subscribers.Demand, downstream: Downstream) {
        self.name = name
        self.capacity = capacity
        self.downstream = downstream
    }

    /// Whether a inner is open: it has not completed, or values of it are kept.
    @usableFromInline var hasInners: Bool {
        !openInners.withLock { $0.inners.isEmpty }
    }

    /// Opens a inner.
    ///
    /// - Returns: Nil if the stream is over.
    @inlinable
    func open() -> InnerSubscription? {
        let inner = InnerSubscription()
        let isOpen = openInners.withLock { open in
            if open.isOver { return false }
            open.inners.append(inner)
            return true
        }
        guard isOpen else { return nil }
        sources.add(1, ordering: .relaxed)
        return inner
    }

    /// Takes in a value of a inner.
    ///
    /// - Returns: How many more are wanted of it at once.
    @inlinable
    func accept(_ value: Downstream.Input, from source: InnerSubscription) -> Subscribers.Demand {
        var additional = Subscribers.Demand.none
        if signals.enter() {
            additional = deliver(value, from: source)
            signals.leave { handle($0) }
        } else {
            guard signals.enqueue(.value(value, source)) else { return .none }
            signals.drain { handle($0) }
        }
        if hasPendingRequests.load(ordering: .relaxed) { sendPendingRequests() }
        return additional
    }

    @inlinable
    func submit(_ event: Event) {
        guard signals.submit(event, { handle($0) }) else { return }
        if hasPendingRequests.load(ordering: .relaxed) { sendPendingRequests() }
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let isDue = add(demand)
        if isDue || hasBufferedValues.load(ordering: .acquiring) { submit(.demand) }
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
    func keepUnrequestedValues() {
        keepsUnrequestedValues.store(true, ordering: .sequentiallyConsistent)
        for inner in current() { inner.keepUnrequestedValues() }
    }

    @usableFromInline var description: String { name }
}

/// What only the owner of the signals does.
extension MergeCoordinator {
    @inlinable
    func deliver(_ value: Downstream.Input, from source: InnerSubscription) -> Subscribers.Demand {
        guard demand.reading == .flowing, kept.isEmpty, let downstream else {
            return deliverCounted(value, from: source)
        }
        _ = downstream.receive(value)
        return .none
    }

    @inlinable
    func deliverCounted(_ value: Downstream.Input, from source: InnerSubscription) -> Subscribers.Demand {
        guard let downstream else { return .none }
        if kept.isEmpty, demand.takeOne() {
            let additional = downstream.receive(value)
            if additional > .none { add(additional) }
            return demand.reading.isUnlimited ? .none : .max(1)
        }
        if demand.reading.isCancelled { return .none }
        kept.append((value, source))
        source.bufferedValues += 1
        hasBufferedValues.store(true, ordering: .relaxed)
        deliverKept()
        return .none
    }

    /// Delivers kept values as far as there is demand, and asks for one more of each source that delivered.
    @inlinable
    func deliverKept() {
        while let downstream, !kept.isEmpty, demand.takeOne() {
            guard let (value, source) = kept.popFirst() else { break }
            source.bufferedValues -= 1
            let additional = downstream.receive(value)
            if additional > .none { add(additional) }
            if source.isExhausted {
                if source.bufferedValues == 0 { close(source) }
            } else if !demand.reading.isUnlimited, mayAsk(source) {
                note(PendingRequest(source: source, demand: .max(1)))
            }
        }
        if kept.isEmpty { hasBufferedValues.store(false, ordering: .relaxed) }
    }

    /// Whether a source may be asked for a value in place of one that was kept. Where nothing is to be lost, one that drops
    /// values has sent more than it was asked for, and what it has sent comes first.
    @inlinable
    func mayAsk(_ source: InnerSubscription) -> Bool {
        source.bufferedValues == 0 || !keepsUnrequestedValues.load(ordering: .relaxed)
    }

    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .value(let value, let source):
            let additional = deliver(value, from: source)
            if additional > .none { note(PendingRequest(source: source, demand: additional)) }
        case .end(.finished, let source):
            source.isExhausted = true
            if source.bufferedValues == 0 { close(source) }
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
    func close(_ source: InnerSubscription) {
        let closed = openInners.withLock { $0.inners.remove(at: source.place) }
        guard closed != nil else { return }
        endSource()
        if capacity != .unlimited { note(PendingRequest(source: outer, demand: .max(1))) }
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
extension MergeCoordinator {
    /// Adds to the demand. Once that is unlimited, so is the demand for what each source has.
    ///
    /// - Returns: Whether sources are to be asked.
    @inlinable
    @discardableResult
    func add(_ additional: Subscribers.Demand) -> Bool {
        let change = demand.update { $0.adding(additional) }
        guard change.new.isUnlimited, !change.old.isUnlimited, !change.new.isCancelled else { return false }
        let inners = current()
        for inner in inners { note(PendingRequest(source: inner, demand: .unlimited)) }
        return !inners.isEmpty
    }

    /// Those that are open.
    @inlinable
    func current() -> [InnerSubscription] {
        openInners.withLock { $0.current }.inners
    }

    /// Puts off asking a source, until `sendPendingRequests()`.
    @inlinable
    func note(_ request: PendingRequest) {
        pendingRequests.append(request)
        hasPendingRequests.store(true, ordering: .releasing)
    }

    /// Asks the sources what was noted. If that is under way already, further up the stack or on another thread, it is
    /// done there.
    @inlinable
    func sendPendingRequests() {
        guard hasPendingRequests.exchange(false, ordering: .acquiring) else { return }
        guard pendingRequests.claimQueue() else { return }
        pendingRequests.drain { $0.source.request($0.demand) }
    }

    @inlinable
    func closeAll() {
        let taken = openInners.withLock { $0.end() }
        // In Combine's order.
        for inner in taken.inners { inner.cancel() }
        outer.cancel()
    }
}

/// One of the streams that flow together in a `MergeCoordinator`: the link to its source, and what the coordinator notes about
/// it.
@usableFromInline
// Safe because each part of it belongs to a lock or to the owner of a signals, as noted there.
final class InnerSubscription: UpstreamLink, SlotListMember, @unchecked Sendable {

    /// Its place among the open ones. It is behind the coordinator's lock.
    @exclusivity(unchecked) @usableFromInline var place = -1

    /// How many of its values are kept, and whether it has completed. They belong to the owner of the coordinator's
    /// signals.
    @exclusivity(unchecked) @usableFromInline var bufferedValues = 0
    @exclusivity(unchecked) @usableFromInline var isExhausted = false
}

/// The receiving half of a inner.
@usableFromInline
struct InnerSubscriber<Downstream: Subscriber>: Subscriber {
    @usableFromInline let inner: InnerSubscription
    @usableFromInline let coordinator: MergeCoordinator<Downstream>

    @inlinable
    init(inner: InnerSubscription, coordinator: MergeCoordinator<Downstream>) {
        self.inner = inner
        self.coordinator = coordinator
    }

    @inlinable var combineIdentifier: CombineIdentifier { link.combineIdentifier }
    @inlinable var link: InnerSubscription { inner }

    @inlinable
    func receive(subscription: any Subscription) {
        guard inner.attach(subscription) else { return }
        inner.request(coordinator.demand.reading.isUnlimited ? .unlimited : .max(1))
        if coordinator.keepsUnrequestedValues.load(ordering: .sequentiallyConsistent) { inner.keepUnrequestedValues() }
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        inner.isActive ? coordinator.accept(input, from: inner) : .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        if inner.complete() { coordinator.submit(.end(completion, inner)) }
    }
}

/// The inners that are open. It does not depend on what flows, so that nobody has to look its layout up.
@usableFromInline
// Safe because it is only touched under a lock, apart from members taken out of it.
struct OpenInnerSubscriptions: ~Copyable, @unchecked Sendable {
    // Safe because it carries links, which may be used from any thread, out of the lock.
    @usableFromInline
    struct Taken: @unchecked Sendable {
        @usableFromInline var inners: [InnerSubscription] = []
    }

    @usableFromInline var inners = SlotList<InnerSubscription>()
    @usableFromInline var isOver = false

    @usableFromInline
    init() {}

    /// Those that are open now.
    @usableFromInline var current: Taken {
        var taken = Taken()
        inners.forEach { taken.inners.append($0) }
        return taken
    }

    /// Closes all, and opens no more.
    @usableFromInline
    mutating func end() -> Taken {
        isOver = true
        return Taken(inners: inners.removeAll())
    }
}

/// What is asked of a source.
@usableFromInline
struct PendingRequest {
    @usableFromInline let source: UpstreamLink
    @usableFromInline let demand: Subscribers.Demand

    @inlinable
    init(source: UpstreamLink, demand: Subscribers.Demand) {
        self.source = source
        self.demand = demand
    }
}
