/// A link that may be handed downstream before the upstream's subscription is there, and keeps demand until then.
///
/// It is handed over with the upstream's subscription, so that the subscriber can learn what kind of source that is,
/// or, if the upstream takes its time, as soon as the upstream was subscribed to.
@usableFromInline
// Safe because what it adds is behind a lock.
class EarlyLink: KeepingLink, @unchecked Sendable {
    private struct Waiting {
        var demand: Subscribers.Demand
        var isClaimed = false
        var isHandedOver = false
        var isOpen = false
    }

    private let waiting: Locked<Waiting>

    /// - Parameters:
    ///   - name: Combine's name for the operator.
    ///   - demand: What the operator asks for itself.
    ///   - subscriber: What is to live as long as the stream goes on.
    ///   - rules: What stops the program, or counts, out of turn.
    @usableFromInline
    init(
        _ name: OperatorName, demand: Subscribers.Demand = .none, keeping subscriber: AnyObject? = nil,
        rules: LinkRules = []
    ) {
        waiting = Locked(Waiting(demand: demand))
        super.init(name, keeping: subscriber, rules: rules)
    }

    /// Hands the link downstream unless that has been done.
    ///
    /// `open()` is to follow, which may make the upstream deliver.
    @inlinable
    final func handOver(to downstream: some Subscriber) {
        guard claim() else { return }
        downstream.receive(subscription: self)
        noteHandOver()
    }

    @usableFromInline
    final func claim() -> Bool {
        waiting.withLock { waiting in
            defer { waiting.isClaimed = true }
            return !waiting.isClaimed
        }
    }

    @usableFromInline
    final func noteHandOver() {
        waiting.withLock { $0.isHandedOver = true }
    }

    /// Asks the upstream for what has been asked for, once both the upstream's subscription is there and the subscriber
    /// has taken this one.
    @usableFromInline
    final func open() {
        let demand = waiting.withLock { waiting in
            guard waiting.isHandedOver, !waiting.isOpen, isActive else { return Subscribers.Demand.none }
            waiting.isOpen = true
            return waiting.demand
        }
        if demand > .none { super.request(demand) }
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        if rules.contains(.noEmptyRequests) {
            precondition(demand > .none, "a source must be asked for at least one value")
        }
        let isKept = waiting.withLock { waiting in
            if !waiting.isOpen { waiting.demand += demand }
            return !waiting.isOpen
        }
        if !isKept { super.request(demand) }
    }
}
