/// A link that may be handed downstream before the upstream's subscription is there, and keeps demand until then.
///
/// It is handed over with the upstream's subscription, so that the subscriber can learn what kind of source that is,
/// or, if the upstream takes its time, as soon as the upstream was subscribed to.
@usableFromInline
// Safe because what it adds is behind a lock.
class DeferredSubscription: UpstreamLink, @unchecked Sendable {
    private struct Waiting {
        var demand: Subscribers.Demand
        var isClaimed = false
        var isHandedOver = false
        var isOpen = false
        var isCancelled = false
        var keepsUnrequestedValues = false
        /// Delivers the completion that came before the link was handed over.
        var ending: (() -> Void)?
    }

    private let name: String
    private let waiting: Locked<Waiting>

    /// - Parameters:
    ///   - name: Combine's name for the operator.
    ///   - demand: What the operator asks for itself.
    @usableFromInline
    init(
        _ name: String, demand: Subscribers.Demand = .none
    ) {
        waiting = Locked(Waiting(demand: demand))
        self.name = name
        super.init()
    }

    @usableFromInline override var description: String { name }

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

    /// Notes that the subscriber has this subscription, and delivers the completion if that has come already.
    @usableFromInline
    final func noteHandOver() {
        let ending = waiting.withLock { waiting in
            waiting.isHandedOver = true
            return waiting.ending.take()
        }
        ending?()
    }

    /// Notes the upstream's completion, and delivers it or, if the subscriber is still without its subscription, leaves
    /// that to whoever is handing it over.
    ///
    /// - Parameter deliver: Delivers the completion. It is dropped where the subscriber cancels before.
    @usableFromInline
    final func end(_ deliver: @escaping () -> Void) {
        guard complete() else { return }
        let isHandedOver = waiting.withLock { waiting in
            if !waiting.isHandedOver, !waiting.isCancelled { waiting.ending = deliver }
            return waiting.isHandedOver
        }
        if isHandedOver { deliver() }
    }

    @usableFromInline
    override func cancel() {
        let ending = waiting.withLock { waiting in
            waiting.isCancelled = true
            return waiting.ending.take()
        }
        withExtendedLifetime(ending) {}
        super.cancel()
    }

    /// Asks the upstream for what has been asked for, once both the upstream's subscription is there and the subscriber
    /// has taken this one.
    @usableFromInline
    final func open() {
        let (demand, keepsUnrequestedValues) = waiting.withLock { waiting in
            guard waiting.isHandedOver, !waiting.isOpen, isActive else { return (Subscribers.Demand.none, false) }
            waiting.isOpen = true
            return (waiting.demand, waiting.keepsUnrequestedValues)
        }
        if demand > .none { super.request(demand) }
        if keepsUnrequestedValues { super.keepUnrequestedValues() }
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let isKept = waiting.withLock { waiting in
            if !waiting.isOpen { waiting.demand += demand }
            return !waiting.isOpen
        }
        if !isKept { super.request(demand) }
    }

    @usableFromInline
    override func keepUnrequestedValues() {
        let isKept = waiting.withLock { waiting in
            if !waiting.isOpen { waiting.keepsUnrequestedValues = true }
            return !waiting.isOpen
        }
        if !isKept { super.keepUnrequestedValues() }
    }
}
