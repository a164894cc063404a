import Synchronization

/// The half of an operator that faces its subscriber: the subscription handed downstream, holding the one from upstream.
///
/// An operator consists of two objects. Values flow through a plain struct of constants that the source holds (an `Inner`),
/// requests and cancellation flow back through a link. The link does not know the downstream, so there is no cycle for the
/// completion to break, a subscription that somebody keeps keeps nothing else alive, and values flow without locks, without
/// reference counting and without the checks that variables of classes need.
///
/// Operators with state of their own put it in a subclass; only the upstream's serial signals touch it.
///
/// `request`, `cancel` and everything else here may be called from any thread at any time. The upstream is called and released
/// outside the lock.
@usableFromInline
class UpstreamLink: Subscription, UnrequestedValuePolicy, CustomStringConvertible,
    CustomReflectable,
    CustomPlaygroundDisplayConvertible
{
    @usableFromInline
    enum Phase: UInt8, AtomicRepresentable {
        case awaiting
        case active
        case terminal
    }

    enum State {
        case awaiting
        case active(any Subscription)
        case terminal

        var upstream: (any Subscription)? {
            if case .active(let upstream) = self { upstream } else { nil }
        }
    }

    /// Combine's name for the operator.
    @usableFromInline final let name: StaticString

    /// The same as `state`, readable without a lock. Written under the lock.
    @usableFromInline final let phase = Atomic<Phase>(.awaiting)
    private let state = Locked(State.awaiting)

    @usableFromInline
    init(_ name: StaticString) {
        self.name = name
    }

    /// Whether signals from upstream are to be passed on: there was a subscription, and neither completion nor cancellation
    /// since. One plain load, cheap enough to ask before every value.
    @inlinable
    final var isActive: Bool { phase.load(ordering: .relaxed) == .active }

    /// Whether there was neither completion nor cancellation yet, though perhaps no subscription either. For subscribers that
    /// take what they are given by hand.
    @inlinable
    final var isOpen: Bool { phase.load(ordering: .relaxed) != .terminal }

    /// Stops the program if there was no subscription yet. For signals before which Combine insists on one.
    @usableFromInline
    final func requireSubscription() {
        precondition(phase.load(ordering: .relaxed) != .awaiting, "a publisher sent a signal before its subscription")
    }

    /// Answers a value while the link is not active: before the subscription it stops the program, after the end it is ignored.
    @usableFromInline
    final func refuseValue() -> Subscribers.Demand {
        requireSubscription()
        return .none
    }

    /// Takes in the upstream's subscription. A second one, or one that comes after cancellation, is cancelled.
    ///
    /// - Returns: Whether the subscription was taken, and the link is to be handed downstream.
    @usableFromInline
    final func attach(_ subscription: any Subscription) -> Bool {
        let isTaken = state.withLock { state in
            guard case .awaiting = state else { return false }
            state = .active(subscription)
            phase.store(.active, ordering: .relaxed)
            return true
        }
        if !isTaken { subscription.cancel() }
        return isTaken
    }

    /// Notes the upstream's completion and lets go of its subscription.
    ///
    /// - Returns: Whether the completion is to be passed on, because the link was active.
    @usableFromInline
    final func finish() -> Bool {
        terminate().upstream != nil
    }

    /// Notes the completion, also one without a subscription before it.
    ///
    /// - Returns: Whether the completion is to be passed on, because the link was open.
    @usableFromInline
    final func finishOpen() -> Bool {
        if case .terminal = terminate() { false } else { true }
    }

    /// Ends the stream from here: cancels the upstream and lets go of its subscription.
    ///
    /// - Returns: Whether a completion may be delivered downstream, because the link was active.
    @usableFromInline
    @discardableResult
    final func cancelUpstream() -> Bool {
        guard let upstream = terminate().upstream else { return false }
        upstream.cancel()
        return true
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.upstream }?.request(demand)
    }

    @usableFromInline
    func cancel() {
        cancelUpstream()
    }

    @usableFromInline var dropsUnrequestedValues: Bool {
        Streams.dropsUnrequestedValues(state.withLock { $0.upstream })
    }

    @usableFromInline
    func loseNothing() {
        // Where values are dropped already, all that is between there and here has to know that they are asked for.
        if dropsUnrequestedValues {
            request(.unlimited)
        } else {
            Streams.loseNothing(state.withLock { $0.upstream })
        }
    }

    @usableFromInline var description: String { name.description }
    @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
    @usableFromInline var playgroundDescription: Any { description }

    private func terminate() -> State {
        state.withLock { state in
            phase.store(.terminal, ordering: .relaxed)
            return exchange(&state, with: .terminal)
        }
    }
}
