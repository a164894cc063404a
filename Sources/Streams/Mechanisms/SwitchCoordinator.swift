import Synchronization

/// The moving parts of `switchToLatest`: which publisher is the newest one, what is asked of it, and what is delivered.
///
/// Which link is current and what is outstanding change together, under a lock; so each newest publisher is asked for
/// exactly what those before it left over. Signals go through a signals, whose owner delivers them. A value that is
/// on its way while its publisher is replaced is given back to the demand. With unlimited demand nothing is counted,
/// and a value costs entering and leaving the signals, two atomic operations.
@usableFromInline
final class SwitchCoordinator<Downstream: Subscriber> {
    @usableFromInline
    enum Event {
        case inner(UpstreamLink)
        case value(Downstream.Input, UpstreamLink)
        /// A value that nobody has asked for.
        case surplus(Downstream.Input, UpstreamLink)
        case end(Subscribers.Completion<Downstream.Failure>, UpstreamLink)
        case outerEnd(Subscribers.Completion<Downstream.Failure>)
        case cancellation
    }

    /// The link to the publisher of publishers.
    @usableFromInline let outer: UpstreamLink

    @usableFromInline let state = Locked(SwitchState())
    @usableFromInline let isUnlimited = Atomic<Bool>(false)
    @usableFromInline let over = Atomic<Bool>(false)
    @usableFromInline let signals = SerialDrain<Event>()

    // These belong to the owner of the signals.
    @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
    @exclusivity(unchecked) @usableFromInline var newest: UpstreamLink?
    @exclusivity(unchecked) @usableFromInline var isOuterOver = false

    @inlinable
    init(outer: UpstreamLink, downstream: Downstream) {
        self.outer = outer
        self.downstream = downstream
    }

    /// Replaces the current link by a new one, which is about to be subscribed.
    ///
    /// - Returns: Nil if the stream is over.
    @inlinable
    func open() -> UpstreamLink? {
        let inner = UpstreamLink()
        let previous = state.withLock { state in
            let previous = state
            if !state.isOver {
                state.current = inner
                state.isConnected = false
            }
            return previous
        }
        if previous.isOver { return nil }
        previous.current?.cancel()
        submit(.inner(inner))
        return inner
    }

    /// Notes that a link has its subscription.
    ///
    /// - Returns: What to ask of it, and whether it is to lose nothing.
    @inlinable
    func connect(_ inner: UpstreamLink) -> (demand: Subscribers.Demand, keepsUnrequestedValues: Bool) {
        state.withLock { state in
            guard state.current === inner else { return (.none, false) }
            state.isConnected = true
            return (state.outstanding, state.keepsUnrequestedValues)
        }
    }

    /// Notes that the subscriber keeps what it is given.
    ///
    /// - Returns: The link to tell, if there is one.
    @usableFromInline
    func keepUnrequestedValues() -> UpstreamLink? {
        state.withLock { state in
            state.keepsUnrequestedValues = true
            return state.connected
        }
    }

    @inlinable
    func isCurrent(_ inner: UpstreamLink) -> Bool {
        state.withLock { $0.current === inner }
    }

    /// Adds to the demand.
    ///
    /// - Returns: The link to ask for it, if there is one.
    @inlinable
    func add(_ demand: Subscribers.Demand) -> UpstreamLink? {
        state.withLock { state in
            state.outstanding += demand
            if state.outstanding == .unlimited { isUnlimited.store(true, ordering: .relaxed) }
            return state.connected
        }
    }

    /// Takes in a value.
    ///
    /// - Returns: How many more are wanted of its publisher at once.
    @inlinable
    func accept(_ value: Downstream.Input, from inner: UpstreamLink) -> Subscribers.Demand {
        if !isUnlimited.load(ordering: .relaxed) {
            guard let isSurplus = count(inner) else { return .none }
            if isSurplus {
                submit(.surplus(value, inner))
                return .none
            }
        }
        var additional = Subscribers.Demand.none
        if signals.enter() {
            additional = deliver(value, from: inner)
            signals.leave { handle($0) }
        } else if signals.enqueue(.value(value, inner)) {
            signals.drain { handle($0) }
        }
        return additional > .none ? settle(additional, with: inner) : .none
    }

    @inlinable
    func submit(_ event: Event) {
        signals.submit(event) { handle($0) }
    }

    /// Cancels the newest publisher and takes no more.
    @inlinable
    func close() {
        over.store(true, ordering: .relaxed)
        cancelInner()
    }

    /// Cancels the newest publisher.
    @inlinable
    func cancelInner() {
        let current = state.withLock { state in
            state.isOver = true
            return state.current.take()
        }
        current?.cancel()
    }

    /// Counts a value that has come. One that the newest publisher was not asked for stops the program, as with
    /// Combine, unless nothing is to be lost.
    ///
    /// - Returns: Whether nobody has asked for it, or nil if its publisher is not the newest any more.
    @inlinable
    func count(_ inner: UpstreamLink) -> Bool? {
        state.withLock { state in
            guard state.current === inner else { return nil }
            guard state.outstanding > .none else { return state.keepsUnrequestedValues ? true : nil }
            state.outstanding -= 1
            return false
        }
    }

    /// Passes on what the subscriber returned for a value.
    ///
    /// - Returns: What the publisher that delivered the value is told by the return value, as it is still the newest.
    @inlinable
    func settle(_ additional: Subscribers.Demand, with inner: UpstreamLink) -> Subscribers.Demand {
        guard let connected = add(additional) else {
            // It has not sent its subscription, by which it would be asked for a number of values.
            return isUnlimited.load(ordering: .relaxed) && isCurrent(inner) ? additional : .none
        }
        if connected === inner { return additional }
        connected.request(additional)
        return .none
    }
}

/// What only the owner of the signals does.
extension SwitchCoordinator {
    @inlinable
    func deliver(_ value: Downstream.Input, from inner: UpstreamLink) -> Subscribers.Demand {
        guard let downstream = receiver(of: inner) else {
            giveBack()
            return .none
        }
        return downstream.receive(value)
    }

    /// The subscriber, if it is to have what comes from a link.
    @inlinable
    func receiver(of inner: UpstreamLink) -> Downstream? {
        newest === inner && !over.load(ordering: .relaxed) ? downstream : nil
    }

    @inlinable
    func giveBack() {
        if !isUnlimited.load(ordering: .relaxed) { add(.max(1))?.request(.max(1)) }
    }

    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .inner(let inner):
            newest = inner
        case .value(let value, let inner):
            let additional = deliver(value, from: inner)
            if additional > .none { add(additional)?.request(additional) }
        case .surplus(let value, let inner):
            guard let downstream = receiver(of: inner) else { return }
            // The first of what it returns makes up for the value, which has used up nothing.
            let additional = downstream.receive(value) - 1
            if additional > .none { add(additional)?.request(additional) }
        case .end(.finished, let inner):
            guard newest === inner else { return }
            newest = nil
            let ended = state.withLock { state in
                guard state.current === inner else { return nil as UpstreamLink? }
                state.isConnected = false
                return state.current.take()
            }
            withExtendedLifetime(ended) {}
            if isOuterOver { finish(.finished) }
        case .end(.failure(let error), let inner):
            guard newest === inner else { return }
            outer.cancel()
            finish(.failure(error))
        case .outerEnd(.finished):
            isOuterOver = true
            if newest == nil { finish(.finished) }
        case .outerEnd(.failure(let error)):
            finish(.failure(error))
        case .cancellation:
            newest = nil
            downstream = nil
        }
    }

    @inlinable
    func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
        guard !over.exchange(true, ordering: .relaxed) else { return }
        cancelInner()
        newest = nil
        downstream.take()?.receive(completion: completion)
    }
}

/// What belongs to the lock. It does not depend on what flows, so that nobody has to look its layout up.
@usableFromInline
// Safe because it is only touched under the lock, and links may be used from any thread.
struct SwitchState: @unchecked Sendable {
    @usableFromInline var current: UpstreamLink?
    @usableFromInline var isConnected = false
    @usableFromInline var outstanding = Subscribers.Demand.none
    @usableFromInline var keepsUnrequestedValues = false
    @usableFromInline var isOver = false

    @inlinable
    init() {}

    /// The link to ask for more.
    @inlinable var connected: UpstreamLink? { isConnected ? current : nil }
}
