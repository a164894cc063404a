import Synchronization

/// The half of an operator that faces its subscriber: the subscription handed downstream, holding the one from
/// upstream.
///
/// An operator consists of two objects. Values flow through a plain struct of constants that the source holds (an
/// `Inner`), requests and cancellation flow back through a link. The link does not use the downstream, so there is no
/// cycle among operators for the completion to break, a subscription that somebody keeps keeps neither upstream nor
/// closures alive once the stream has ended, and values flow without locks, without reference counting and without the
/// checks that variables of classes need. What it does hold, as Combine's subscriptions do, is a subscriber that is an
/// object of somebody else's, but only until the completion or the cancellation (rule 6).
///
/// Operators with state of their own put it in a subclass; only the upstream's serial signals touch it.
///
/// `request`, `cancel` and everything else here may be called from any thread at any time. The upstream is called and
/// released outside the lock.
@usableFromInline
class UpstreamLink: Canceller, Subscription, UnrequestedValuePolicy, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
{
    @usableFromInline
    enum Phase: UInt8, AtomicRepresentable {
        case awaiting
        case active
        case terminal
    }

    /// What there was before the stream ended.
    private struct Past {
        var upstream: (any Subscription & AnyObject)?
        var phase: Phase
        var kept: AnyObject?

        /// Whether there was neither completion nor cancellation before.
        var wasOpen: Bool { upstream != nil || phase == .awaiting }
    }

    /// Links are many, so they are kept small: these four share one word.
    private final let lock = Locked(())

    /// Readable without a lock. Written under it.
    @usableFromInline final let phase = Atomic<Phase>(.awaiting)
    @usableFromInline final let rules: LinkRules

    /// Combine's name for the operator.
    @usableFromInline final let name: OperatorName

    /// The upstream's subscription, from `attach` until the stream ends. It belongs to the lock.
    @exclusivity(unchecked) private final var current: (any Subscription & AnyObject)?

    /// - Parameters:
    ///   - name: Combine's name for the operator.
    ///   - rules: What stops the program, or counts, out of turn.
    @usableFromInline
    init(_ name: OperatorName, rules: LinkRules = []) {
        self.name = name
        self.rules = rules
        super.init()
    }

    /// Whether signals from upstream are to be passed on: there was a subscription, and neither completion nor
    /// cancellation since. One plain load, cheap enough to ask before every value.
    @inlinable
    final var isActive: Bool { phase.load(ordering: .relaxed) == .active }

    /// Whether there was neither completion nor cancellation yet, though perhaps no subscription either. For
    /// subscribers that take what they are given by hand.
    @inlinable
    final var isOpen: Bool { phase.load(ordering: .relaxed) != .terminal }

    /// Runs code of a subclass under the lock, see `Locked`.
    final func withLock<Result>(_ body: () -> Result) -> Result {
        lock.withLock { _ in body() }
    }

    /// Takes in the upstream's subscription. A second one, or one that comes after cancellation, is cancelled.
    ///
    /// - Returns: Whether the subscription was taken, and the link is to be handed downstream.
    @usableFromInline
    final func attach(_ subscription: any Subscription) -> Bool {
        let reference = subscription._reference
        let isTaken = lock.withLock { _ in
            guard phase.load(ordering: .relaxed) == .awaiting else { return false }
            current = reference
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
        if rules.contains(.subscriptionFirst) { requireSubscription() }
        return terminate().upstream != nil
    }

    /// Answers a value that comes while the link is not active.
    @usableFromInline
    final func refuse() -> Subscribers.Demand {
        if rules.contains(.subscriptionFirst) { requireSubscription() }
        return .none
    }

    /// Notes the upstream's completion, and keeps its subscription until `finish()` for a subscriber that is told
    /// later: as in Combine, its requests and its cancellation go there until then.
    ///
    /// - Returns: Whether the completion is to be passed on, because the link was active.
    @usableFromInline
    final func noteCompletion() -> Bool {
        lock.withLock { _ in
            guard isActive else { return false }
            phase.store(.terminal, ordering: .relaxed)
            return true
        }
    }

    /// Notes the completion, also one without a subscription before it.
    ///
    /// - Returns: Whether the completion is to be passed on, because the link was open.
    @usableFromInline
    final func finishOpen() -> Bool {
        terminate().wasOpen
    }

    /// Ends the stream from here: lets go of the upstream's subscription.
    ///
    /// - Returns: The subscription, to be cancelled, if the link was active.
    @usableFromInline
    final func detach() -> (any Subscription)? {
        unboxed(terminate().upstream)
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

    /// Ends the stream from here, also before there is a subscription.
    ///
    /// - Returns: Whether a completion may be delivered downstream, because the link was open.
    @usableFromInline
    final func cancelOpen() -> Bool {
        let before = terminate()
        before.upstream?.cancel()
        return before.wasOpen
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        if rules.contains(.noEmptyRequests) {
            precondition(demand > .none, "a source must be asked for at least one value")
        }
        if rules.contains(.subscriptionFirst) { requireSubscription() }
        reference?.request(demand)
    }

    @usableFromInline
    override func cancel() {
        cancelUpstream()
    }

    /// Answers the cancellation of the receiving half: there is nothing to cancel yet before it has a subscription.
    @usableFromInline
    final func cancelInTurn() {
        if rules.contains(.cancelsAhead) || phase.load(ordering: .relaxed) != .awaiting { cancel() }
    }

    @usableFromInline var dropsUnrequestedValues: Bool {
        Streams.dropsUnrequestedValues(upstream)
    }

    @usableFromInline
    func loseNothing() {
        // Where values are dropped already, all that is between there and here has to know that they are asked for.
        if dropsUnrequestedValues {
            request(.unlimited)
        } else {
            Streams.loseNothing(upstream)
        }
    }

    @usableFromInline var description: String { name.description }
    @usableFromInline var customMirror: Mirror { Mirror(self, children: children) }
    @usableFromInline var playgroundDescription: Any { description }

    /// What mirrors show.
    @usableFromInline var children: [Mirror.Child] { [] }

    /// The subscriber, where it is to live as long as the stream goes on. It belongs to the lock.
    @usableFromInline var keptSubscriber: AnyObject? {
        get { nil }
        set {}
    }

    /// The subscriber while the stream goes on, if it is kept.
    @usableFromInline final var subscriber: AnyObject? { lock.withLock { _ in keptSubscriber } }

    /// The upstream's subscription while the stream goes on.
    @usableFromInline final var upstream: (any Subscription)? { unboxed(reference) }

    private var reference: (any Subscription & AnyObject)? { lock.withLock { _ in current } }

    private func requireSubscription() {
        precondition(phase.load(ordering: .relaxed) != .awaiting, "a subscription comes before anything else")
    }

    private func terminate() -> Past {
        var past = lock.withLock { _ in
            let past = Past(upstream: current.take(), phase: phase.load(ordering: .relaxed), kept: keptSubscriber)
            keptSubscriber = nil
            phase.store(.terminal, ordering: .relaxed)
            return past
        }
        // Here rather than wherever the upstream is done with.
        past.kept = nil
        return past
    }
}
