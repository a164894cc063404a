import Foundation
import StreamsHTTP
import Testing

/// Takes so many bytes of a generated body as a test asks for and holds up the rest, or takes all.
final class HeldBody: Subscriber, Sendable {
    private struct State {
        var subscription: (any Subscription)?
        var wanted = 0
        var body = GeneratedBodyCheck()
        var waiter: CheckedContinuation<Void, Never>?
        var completion: Subscribers.Completion<HTTPError>?
    }

    private let demand: Subscribers.Demand
    private let state = Locked(State())

    /// - Parameter demand: The demand of each request: one event, or all of them.
    init(demand: Subscribers.Demand = .max(1)) {
        self.demand = demand
    }

    /// Asks for events until so many more bytes have come. The stream must not have ended by then.
    func untilItHasReceived(_ count: Int) async throws {
        await withCheckedContinuation { continuation in
            let subscription = state.withLock { state -> (any Subscription)? in
                guard state.completion == nil else { return nil }
                state.wanted = count
                state.waiter = continuation
                return state.subscription
            }
            if let subscription { subscription.request(demand) } else { continuation.resume() }
        }
        let (completion, isExact) = state.withLock { ($0.completion, $0.body.isExact) }
        try #require(completion == nil, "\(String(describing: completion))")
        #expect(isExact)
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
            state.body.accept(data)
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
            state.completion = completion
            return state.waiter
        }
        waiter?.resume()
    }
}
