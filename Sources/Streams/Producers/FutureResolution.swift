/// The result of a future, or those who wait for it.
///
/// The future and its promise hold it, subscriptions do not.
// Safe because the state is behind the lock, and a subscription delivers serially wherever it is resolved.
final class FutureResolution<Output, Failure: Error>: @unchecked Sendable {
    struct State: ~Copyable {
        var result: Result<Output, Failure>?
        var waiting = OrderedMembers<AnyFutureSubscription<Output, Failure>>()
    }

    private let state = Locked(State())

    /// Sets the result and delivers it. Later calls do nothing.
    func resolve(_ result: Result<Output, Failure>) {
        let waiting = state.withLock { state -> [AnyFutureSubscription<Output, Failure>] in
            guard state.result == nil else { return [] }
            state.result = result
            return state.waiting.removeAll()
        }
        for subscription in waiting { subscription.resolve(result) }
    }

    /// Delivers the result to a subscription, as soon as there is one.
    func attach(_ subscription: AnyFutureSubscription<Output, Failure>) {
        let known = state.withLock { state in
            if state.result == nil { state.waiting.append(subscription) }
            return state.result
        }
        if let known {
            subscription.resolve(known)
        } else if subscription.isCancelled {
            // Cancelled from inside `receive(subscription:)`, or at this very moment.
            detach(subscription)
        }
    }

    /// Forgets a subscription that was cancelled.
    func detach(_ subscription: AnyFutureSubscription<Output, Failure>) {
        let forgotten = state.withLock { $0.waiting.remove(at: subscription.place) }
        withExtendedLifetime(forgotten) {}
    }
}

/// A subscription to a future, whoever the subscriber is.
class AnyFutureSubscription<Output, Failure: Error>: OrderedMember {
    /// Behind the lock of the resolution.
    final var place = -1

    var isCancelled: Bool { preconditionFailure("overridden") }

    func resolve(_ result: Result<Output, Failure>) {
        preconditionFailure("overridden")
    }
}

final class FutureSubscription<Downstream: Subscriber>: AnyFutureSubscription<Downstream.Input, Downstream.Failure>,
    Subscription, CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible
{
    /// What is shown until the result has been delivered. The future is also shown afterwards where it was the request
    /// that came last, as by Combine.
    private struct Ends {
        weak var future: Future<Downstream.Input, Downstream.Failure>?
        var downstream: Downstream?
    }

    private let delivery: OneShotSubscription<Downstream>
    private weak var resolution: FutureResolution<Downstream.Input, Downstream.Failure>?
    private let ends: Locked<Ends>

    init(
        downstream: Downstream, future: Future<Downstream.Input, Downstream.Failure>,
        resolution: FutureResolution<Downstream.Input, Downstream.Failure>
    ) {
        delivery = OneShotSubscription("Future", downstream: downstream)
        self.resolution = resolution
        ends = Locked(Ends(future: future, downstream: downstream))
    }

    override var isCancelled: Bool { delivery.isCancelled }

    override func resolve(_ result: Result<Downstream.Input, Downstream.Failure>) {
        switch result {
        case .success(let value): delivery.resolve(.value(value))
        case .failure(let error): delivery.resolve(.end(.failure(error)))
        }
        if delivery.isOver { hideEnds() }
    }

    func request(_ demand: Subscribers.Demand) {
        delivery.request(demand)
        if delivery.isOver { hideDownstream() }
    }

    func cancel() {
        delivery.cancel()
        hideEnds()
        resolution?.detach(self)
    }

    private func hideEnds() {
        hideDownstream()
        ends.withLock { $0.future = nil }
    }

    private func hideDownstream() {
        let hidden = ends.withLock { $0.downstream.take() }
        withExtendedLifetime(hidden) {}
    }

    var description: String { delivery.description }
    var playgroundDescription: Any { description }

    var customMirror: Mirror {
        let ends = ends.withLock { $0 }
        return Mirror(
            self,
            children: [
                "parent": ends.future as Any, "downstream": ends.downstream as Any,
                "hasAnyDemand": delivery.isRequested, "subject": ends.future as Any,
            ],
            ancestorRepresentation: .suppressed)
    }
}
