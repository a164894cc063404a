import Synchronization

/// The subscription handed downstream by operators that have one upstream after another: it remembers the demand that
/// the previous upstream left unanswered and asks the next one for it.
///
/// On the serial path the operator calls `attach(_:)` with each upstream's subscription, `willDeliver()` before a value
/// and `didDeliver(_:)` with what the subscriber returned, `detach()` when an upstream has ended, and `complete()` before
/// the completion. With unlimited demand nothing is counted, and a value costs one plain load.
///
/// `request` and `cancel` may be called from any thread at any time; the upstreams are called outside the lock.
@usableFromInline
class SubscriptionArbiter: NamedSubscription, BackpressureTraits {
    struct State {
        var upstream: (any Subscription)?
        var outstanding = Subscribers.Demand.none
        var keepsUnrequestedValues = false
        /// Whether nobody had asked for the value that was delivered last.
        var isSurplus = false
        var isTerminal = false
    }

    @usableFromInline final let name: String

    @usableFromInline final let isUnlimited = Atomic<Bool>(false)
    @usableFromInline final let terminal = Atomic<Bool>(false)
    private let state = Locked(State())

    /// - Parameters:
    ///   - name: The operator's name.
    @usableFromInline
    init(_ name: String) {
        self.name = name
    }

    /// Whether the stream was cancelled or has completed, so that nothing may be delivered any more.
    @inlinable
    final var isTerminal: Bool { terminal.load(ordering: .relaxed) }

    /// Makes a subscription the current one and asks it for what is outstanding. It is cancelled if nobody wants it any
    /// more.
    ///
    /// - Returns: Whether it is wanted.
    @usableFromInline
    @discardableResult
    final func attach(_ subscription: any Subscription) -> Bool {
        let previous = state.withLock { state in
            let previous = state
            if !state.isTerminal { state.upstream = subscription }
            return previous
        }
        if previous.isTerminal {
            subscription.cancel()
            return false
        }
        if previous.outstanding > .none { subscription.request(previous.outstanding) }
        if previous.keepsUnrequestedValues { Streams.keepUnrequestedValues(subscription) }
        return true
    }

    /// Lets go of the current upstream, which has ended. Demand is kept for the next one.
    @usableFromInline
    final func detach() {
        let ended = state.withLock { $0.upstream.take() }
        withExtendedLifetime(ended) {}
    }

    /// Counts a value that is about to be delivered.
    ///
    /// - Returns: Whether it was asked for.
    @inlinable
    final func takeDemand() -> Bool {
        isUnlimited.load(ordering: .relaxed) || countDelivery()
    }

    /// Counts the demand a subscriber returned for a value.
    ///
    /// - Returns: What to return to the upstream that delivered the value.
    @inlinable
    final func didDeliver(_ additional: Subscribers.Demand) -> Subscribers.Demand {
        if additional > .none, !isUnlimited.load(ordering: .relaxed) { makeUp(additional) }
        return additional
    }

    /// Counts the demand a subscriber returned for a value, and asks the upstream for it.
    @usableFromInline
    final func didDeliver(requesting additional: Subscribers.Demand) {
        let (due, upstream) = makeUp(additional)
        if due > .none { upstream?.request(due) }
    }

    /// Notes that the stream is over and lets go of everything.
    ///
    /// - Returns: Whether the completion is to be delivered, because the stream was not over yet.
    @usableFromInline
    final func complete() -> Bool {
        !terminate().isTerminal
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        add(demand)?.request(demand)
    }

    @usableFromInline
    func cancel() {
        terminate().upstream?.cancel()
    }

    /// Those upstreams that do so are asked for all they have by `keepUnrequestedValues()`, those that take turns with them for
    /// what is wanted.
    @usableFromInline var dropsUnrequestedValues: Bool { false }

    @usableFromInline
    func keepUnrequestedValues() {
        let upstream = state.withLock { state in
            state.keepsUnrequestedValues = true
            return state.upstream
        }
        Streams.keepUnrequestedValues(upstream)
    }

    @usableFromInline var description: String { name }

    @usableFromInline
    @discardableResult
    final func add(_ demand: Subscribers.Demand) -> (any Subscription)? {
        state.withLock { state in
            state.outstanding += demand
            if state.outstanding == .unlimited { isUnlimited.store(true, ordering: .relaxed) }
            return state.upstream
        }
    }

    /// - Returns: Whether the value was asked for. Once the stream is over that is not known, and does not matter; nor
    ///   does it to a subscriber that keeps what it is given.
    @usableFromInline
    final func countDelivery() -> Bool {
        state.withLock { state in
            state.isSurplus = state.outstanding == .none
            guard !state.isSurplus else { return state.isTerminal || state.keepsUnrequestedValues }
            state.outstanding -= 1
            return true
        }
    }

    /// Adds what a subscriber returned for a value. The first of it makes up for that value, which has used up nothing
    /// if nobody had asked for it.
    ///
    /// - Returns: What was added, and the upstream.
    @usableFromInline
    @discardableResult
    final func makeUp(
        _ additional: Subscribers.Demand
    ) -> (due: Subscribers.Demand, upstream: (any Subscription)?) {
        state.withLock { state in
            let due = state.isSurplus ? additional - 1 : additional
            state.outstanding += due
            if state.outstanding == .unlimited { isUnlimited.store(true, ordering: .relaxed) }
            return (due, state.upstream)
        }
    }

    private func terminate() -> State {
        terminal.store(true, ordering: .relaxed)
        return state.withLock { exchange(&$0, with: State(isTerminal: true)) }
    }
}

/// The receiving half for the last of several upstreams: whatever it delivers is the subscriber's, and its completion
/// the stream's.
@usableFromInline
struct FinalUpstreamSubscriber<Downstream: Subscriber, Failure: Error>: LinkedSubscriber {
    @usableFromInline let downstream: Downstream
    @usableFromInline let arbiter: SubscriptionArbiter
    @usableFromInline let link: UpstreamLink

    /// Turns this upstream's completion into the stream's.
    @usableFromInline let ending:
        @Sendable (Subscribers.Completion<Failure>) -> Subscribers.Completion<Downstream.Failure>

    @inlinable
    init(
        downstream: Downstream, arbiter: SubscriptionArbiter,
        ending: @escaping @Sendable (Subscribers.Completion<Failure>) -> Subscribers.Completion<Downstream.Failure>
    ) {
        self.downstream = downstream
        self.arbiter = arbiter
        self.ending = ending
        link = UpstreamLink()
    }

    @inlinable var combineIdentifier: CombineIdentifier { arbiter.combineIdentifier }

    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription) { arbiter.attach(link) }
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        guard link.isActive, arbiter.takeDemand() else { return .none }
        return arbiter.didDeliver(downstream.receive(input))
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        if link.complete(), arbiter.complete() { downstream.receive(completion: ending(completion)) }
    }
}

extension FinalUpstreamSubscriber where Failure == Downstream.Failure {
    @inlinable
    init(downstream: Downstream, arbiter: SubscriptionArbiter) {
        self.init(downstream: downstream, arbiter: arbiter, ending: { $0 })
    }
}
