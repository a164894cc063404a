import Synchronization

/// The subscriptions of publishers that feed a subject. They are asked for everything once a subscriber has asked for
/// anything, and cancelled and let go of when the subject completes or goes.
@usableFromInline
struct UpstreamSubscriptions: ~Copyable {
    struct State {
        var subscriptions: [any Subscription] = []
        var isRequested = false
        var isClosed = false
    }

    /// The same as in `state`, readable without a lock.
    private let isRequested = Atomic<Bool>(false)
    private let state = Locked(State())

    @usableFromInline
    init() {}

    @usableFromInline
    func add(_ subscription: any Subscription) {
        // A shared stream that is left and joined for weeks would gather the subscriptions that are over.
        let before = state.withLock { state in
            let before = state
            if !before.isClosed {
                state.subscriptions.removeAll(where: \.isOver)
                state.subscriptions.append(subscription)
            }
            return before
        }
        if before.isClosed {
            subscription.cancel()
        } else if before.isRequested {
            subscription.request(.unlimited)
        }
    }

    /// Asks all of them for everything, those that come later too.
    @usableFromInline
    func requestUnlimited() {
        guard !isRequested.exchange(true, ordering: .relaxed) else { return }
        let waiting = state.withLock { state in
            state.isRequested = true
            return state
        }
        for subscription in waiting.subscriptions { subscription.request(.unlimited) }
    }

    /// Cancels and lets go of all of them, and of those that come later.
    @usableFromInline
    func cancelAll() {
        let cancelled = state.withLock { state in
            let all = state
            state.subscriptions = []
            state.isClosed = true
            return all
        }
        for subscription in cancelled.subscriptions { subscription.cancel() }
    }
}

extension Subscription {
    /// Whether it is known to have ended. One that waits for its upstream's subscription has not begun yet.
    fileprivate var isOver: Bool {
        (self as? UpstreamLink).map { !$0.isOpen } ?? false
    }
}
