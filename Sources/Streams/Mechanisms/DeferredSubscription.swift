import Synchronization

/// A subscription that the subscriber can receive before the upstream has sent its own.
///
/// Used by `dropFirst`, `drop(untilOutputFrom:)`, `prefix(untilOutputFrom:)` and `race`. The subscriber receives it with
/// the upstream's subscription, to learn whether the source drops values (rule 8), or, if that comes late, when the
/// upstream has been subscribed to. Until the subscriber and this link have their subscriptions, requests add up here.
///
/// Every member may be called from any thread. The state is guarded by a lock.
@usableFromInline
final class DeferredSubscription: UpstreamLink {
    private struct State {
        enum Delivery {
            case pending, delivering, delivered
        }

        /// The delivery of this subscription to the subscriber.
        var delivery = Delivery.pending

        /// Whether requests are passed on. Until then they add up.
        var forwardsRequests = false
        var demand: Subscribers.Demand
        var keepsUnrequestedValues = false

        /// Delivers the completion that came before this subscription was delivered.
        var completion: (() -> Void)?
    }

    private let name: String
    private let trigger: UpstreamLink?
    private let state: Locked<State>

    /// Whether the subscriber has cancelled.
    @usableFromInline let isCancelled = Atomic<Bool>(false)

    /// - Parameters:
    ///   - name: The operator's name, as `print()` writes it.
    ///   - demand: The demand of the operator itself.
    ///   - trigger: The link to another publisher, to be cancelled with this one.
    @usableFromInline
    init(_ name: String, demand: Subscribers.Demand = .none, trigger: UpstreamLink? = nil) {
        self.name = name
        self.trigger = trigger
        state = Locked(State(demand: demand))
    }

    @usableFromInline override var description: String { name }

    /// Delivers this subscription, unless it was delivered. The caller then calls `forwardRequests()`.
    @inlinable
    func deliver(to downstream: some Subscriber) {
        guard beginDelivery() else { return }
        downstream.receive(subscription: self)
        endDelivery()
    }

    @usableFromInline
    func beginDelivery() -> Bool {
        state.withLock { state in
            guard state.delivery == .pending else { return false }
            state.delivery = .delivering
            return true
        }
    }

    /// Delivers the completion if that came meanwhile.
    @usableFromInline
    func endDelivery() {
        let completion = state.withLock { state in
            state.delivery = .delivered
            return state.completion.take()
        }
        completion?()
    }

    /// Passes the deferred requests on, once the subscriber and this link have their subscriptions.
    @usableFromInline
    func forwardRequests() {
        let (demand, keepsUnrequestedValues) = state.withLock { state in
            guard state.delivery == .delivered, !state.forwardsRequests, isActive else {
                return (Subscribers.Demand.none, false)
            }
            state.forwardsRequests = true
            return (state.demand, state.keepsUnrequestedValues)
        }
        super.request(demand)
        if keepsUnrequestedValues { super.keepUnrequestedValues() }
    }

    /// Ends the stream with the upstream's completion, after this subscription has been delivered.
    ///
    /// - Parameter deliver: Delivers the completion. Dropped if the subscriber cancels before.
    @usableFromInline
    func complete(_ deliver: @escaping () -> Void) {
        guard complete() else { return }
        let isDelivered = state.withLock { state in
            if state.delivery != .delivered { state.completion = deliver }
            return state.delivery == .delivered
        }
        if isDelivered { deliver() }
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let isForwarded = state.withLock { state in
            if !state.forwardsRequests { state.demand += demand }
            return state.forwardsRequests
        }
        if isForwarded { super.request(demand) }
    }

    @usableFromInline
    override func keepUnrequestedValues() {
        let isForwarded = state.withLock { state in
            if !state.forwardsRequests { state.keepsUnrequestedValues = true }
            return state.forwardsRequests
        }
        if isForwarded { super.keepUnrequestedValues() }
    }

    @usableFromInline
    override func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        // Released outside the lock.
        let completion = state.withLock { $0.completion.take() }
        withExtendedLifetime(completion) {}
        super.cancel()
        trigger?.cancel()
    }
}
