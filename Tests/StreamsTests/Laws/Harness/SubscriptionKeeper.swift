import Streams

/// A subscriber that keeps its subscription for longer than it has to, and uses one thread.
final class SubscriptionKeeper: Subscriber {
    private(set) var subscription: (any Subscription)?
    private(set) var values: [Int] = []
    private(set) var completions: [Subscribers.Completion<LawError>] = []
    private let initialDemand: Subscribers.Demand

    init(initialDemand: Subscribers.Demand) {
        self.initialDemand = initialDemand
    }

    func receive(subscription: any Subscription) {
        self.subscription = subscription
        if initialDemand > .none { subscription.request(initialDemand) }
    }

    func receive(_ input: Int) -> Subscribers.Demand {
        values.append(input)
        return .none
    }

    func receive(completion: Subscribers.Completion<LawError>) {
        completions.append(completion)
    }
}
