import Synchronization

/// The subscription of an operator that subscribes to one upstream after another: `append`, `prepend`, `catch`,
/// `replaceError`, `switchIfEmpty`, `retry`, `repeat` and `expand`. It requests from each upstream the demand that the
/// previous ones left unanswered.
///
/// The subscriber of each upstream, usually an ``ArbitratedSubscriber``, attaches its link, takes demand before each
/// value, and detaches the link when the upstream ends. Then the next upstream is subscribed to, so the signals of all
/// upstreams are serial. With unlimited demand nothing is counted, and a value costs one plain load.
///
/// Requests and the cancellation come from any thread. The upstreams are called outside the lock.
@usableFromInline
final class SubscriptionArbiter: NamedSubscription {
    private struct State {
        var upstream: UpstreamLink?
        /// Closures that subscribe to the upstreams that are still to come, the next one last.
        var upcoming: [(SubscriptionArbiter) -> Void] = []
        var outstanding = Subscribers.Demand.none
        var hasBegun = false
        var isTerminal = false
    }

    private let name: String
    /// Whether the subscriber buffers every value, requested or not.
    private let needsEveryValue: Bool
    private let state = Locked(State())
    @usableFromInline let isUnlimited = Atomic<Bool>(false)
    @usableFromInline let terminal = Atomic<Bool>(false)

    /// Runs the closures that subscribe to upstreams. An upstream that ends while it is being subscribed to does not
    /// deepen the stack: the call that runs its closure runs the next one as well (rule 5).
    @usableFromInline let trampoline = Trampoline()

    /// - Parameters:
    ///   - name: The operator's name, as `print()` writes it.
    ///   - needsEveryValue: Whether the subscriber buffers every value, requested or not.
    @usableFromInline
    init(_ name: String, needsEveryValue: Bool) {
        self.name = name
        self.needsEveryValue = needsEveryValue
    }

    /// Whether values are requested that have not been delivered.
    @usableFromInline var hasDemand: Bool { state.withLock { $0.outstanding > .none } }

    /// Whether the stream was cancelled or has completed.
    @inlinable var isTerminal: Bool { terminal.load(ordering: .relaxed) }

    /// Stores the link to the current upstream and requests the outstanding demand from it. Cancels it after the end.
    ///
    /// - Returns: Whether this is the first one, so that the arbiter can be handed downstream.
    @usableFromInline
    @discardableResult
    func attach(_ link: UpstreamLink) -> Bool {
        let (isTerminal, isFirst, demand) = state.withLock { state in
            let isFirst = !state.hasBegun
            if !state.isTerminal {
                state.upstream = link
                state.hasBegun = true
            }
            return (state.isTerminal, isFirst, state.outstanding)
        }
        if isTerminal {
            link.cancel()
            return false
        }
        if demand > .none { link.request(demand) }
        return isFirst
    }

    /// Releases the subscription of an upstream that has ended. The demand is kept for the next one.
    @usableFromInline
    func detach() {
        let ended = state.withLock { $0.upstream.take() }
        withExtendedLifetime(ended) {}
    }

    /// Ends the stream and releases everything.
    ///
    /// - Returns: Whether it was still going on, so that a completion can be delivered downstream.
    @usableFromInline
    func complete() -> Bool {
        !terminate().isTerminal
    }

    /// Ends the stream like ``complete()``, and cancels the current upstream, which has not completed.
    @usableFromInline
    func completeCancellingUpstream() -> Bool {
        let before = terminate()
        before.upstream?.cancel()
        return !before.isTerminal
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        if demand > .none { add(demand)?.request(demand) }
    }

    @usableFromInline
    func cancel() {
        terminate().upstream?.cancel()
    }

    @usableFromInline var description: String { name }

    private func terminate() -> State {
        terminal.store(true, ordering: .relaxed)
        return state.withLock { exchange(&$0, with: State(isTerminal: true)) }
    }
}

/// The demand of the values that are delivered.
extension SubscriptionArbiter {
    /// Deducts a value that is about to be delivered from the demand. An unrequested one deducts nothing.
    ///
    /// - Returns: Whether the value may be delivered.
    @inlinable
    func takeDemand() -> Bool {
        isUnlimited.load(ordering: .relaxed) || deductOne()
    }

    /// Adds the demand that a subscriber returned for a value.
    ///
    /// - Returns: The demand to return to the upstream that sent the value.
    @inlinable
    func didDeliver(_ additional: Subscribers.Demand) -> Subscribers.Demand {
        if additional > .none, !isUnlimited.load(ordering: .relaxed) { add(additional) }
        return additional
    }

    @usableFromInline
    func deductOne() -> Bool {
        state.withLock { state in
            guard state.outstanding > .none else { return needsEveryValue || state.isTerminal }
            state.outstanding -= 1
            return true
        }
    }

    /// Adds to the demand.
    ///
    /// - Returns: The current upstream, to request it from.
    @usableFromInline
    @discardableResult
    func add(_ demand: Subscribers.Demand) -> UpstreamLink? {
        state.withLock { state in
            state.outstanding += demand
            if state.outstanding == .unlimited { isUnlimited.store(true, ordering: .relaxed) }
            return state.upstream
        }
    }
}

/// The order of the upstreams.
extension SubscriptionArbiter {
    /// Subscribes to a publisher, at once or when the call that is subscribing to the previous one has returned.
    @inlinable
    func subscribe<P: Publisher, S: Subscriber>(_ subscriber: S, to publisher: P)
    where P.Output == S.Input, P.Failure == S.Failure {
        if trampoline.isRunning {
            push { _ in publisher.subscribe(subscriber) }
            return trampoline.run(subscribeToNext)
        }
        // Not pushed, which would allocate the closure.
        var isSubscribed = false
        trampoline.run {
            if exchange(&isSubscribed, with: true) { subscribeToNext() } else { publisher.subscribe(subscriber) }
        }
    }

    /// Whether a closure is stored that subscribes to the next upstream.
    @usableFromInline var hasNext: Bool { state.withLock { !$0.upcoming.isEmpty } }

    /// Stores a closure that subscribes to the next upstream, until `subscribeToNext()` or the end of the stream.
    @usableFromInline
    func push(_ subscribe: @escaping (SubscriptionArbiter) -> Void) {
        state.withLock { state in
            if !state.isTerminal { state.upcoming.append(subscribe) }
        }
    }

    /// Runs the closure stored last.
    @usableFromInline
    func subscribeToNext() {
        let subscribe = state.withLock { $0.upcoming.popLast() }
        subscribe?(self)
    }
}
