import Foundation
import StreamsHTTP

/// Takes so many bytes of a body as a test asks for and holds up the rest.
final class HeldBody: Subscriber, Sendable {
    private struct State {
        var subscription: (any Subscription)?
        var wanted = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    /// Asks for events until so many more bytes have come, or the stream has ended.
    func untilItHasReceived(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let subscription = state.withLock { state in
                state.wanted = count
                state.waiter = continuation
                return state.subscription
            }
            subscription?.request(.max(1))
        }
    }

    func cancel() {
        state.withLock { $0.subscription }?.cancel()
    }

    func receive(subscription: any Subscription) {
        state.withLock { $0.subscription = subscription }
    }

    func receive(_ event: RequestEvent<Void>) -> Subscribers.Demand {
        guard case .chunk(let data) = event else { return .max(1) }
        let (demand, waiter) = state.withLock { state in
            state.wanted -= data.count
            guard state.wanted <= 0 else { return (Subscribers.Demand.max(1), CheckedContinuation<Void, Never>?.none) }
            defer { state.waiter = nil }
            return (.none, state.waiter)
        }
        waiter?.resume()
        return demand
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
