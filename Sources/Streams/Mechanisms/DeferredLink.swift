import Synchronization

/// The link of an operator that hands its subscription down before the upstream has sent its own: of `dropFirst`,
/// `drop(untilOutputFrom:)`, `prefix(untilOutputFrom:)` and `race`.
///
/// Requests add up here until the upstream's subscription has come. Every member may be called from any thread.
@usableFromInline
final class DeferredLink: UpstreamLink {
    private struct State {
        /// Whether the operator still keeps requests back from the upstream.
        var isWithheld: Bool
        /// Whether requests are passed on. Until then they add up.
        var isForwarding = false
        var demand: Subscribers.Demand
    }

    private let trigger: UpstreamLink?
    private let state: Locked<State>

    /// Whether the subscriber has cancelled.
    @usableFromInline let isCancelled = Atomic<Bool>(false)

    /// - Parameters:
    ///   - name: The operator's name, as `print()` writes it.
    ///   - demand: The demand of the operator itself.
    ///   - trigger: The link to another publisher, to be cancelled with this one.
    ///   - isWithheld: Whether requests add up until `release()`, even if the upstream's subscription comes earlier.
    @usableFromInline
    init(_ name: String, demand: Subscribers.Demand = .none, trigger: UpstreamLink? = nil, isWithheld: Bool = false) {
        self.trigger = trigger
        state = Locked(State(isWithheld: isWithheld, demand: demand))
        super.init(name)
    }

    /// Attaches to the upstream and passes the requests on.
    @usableFromInline
    func start(_ subscription: any Subscription) {
        if attach(subscription) { forwardRequests(releasing: false) }
    }

    /// Ends holding requests back, and passes them on if the upstream's subscription has come.
    @usableFromInline
    func release() {
        forwardRequests(releasing: true)
    }

    private func forwardRequests(releasing: Bool) {
        let demand = state.withLock { state in
            if releasing { state.isWithheld = false }
            guard !state.isWithheld, !state.isForwarding, isActive else { return Subscribers.Demand.none }
            state.isForwarding = true
            return state.demand
        }
        super.request(demand)
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let isForwarded = state.withLock { state in
            if !state.isForwarding { state.demand += demand }
            return state.isForwarding
        }
        if isForwarded { super.request(demand) }
    }

    @usableFromInline
    override func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        super.cancel()
        trigger?.cancel()
    }
}
