extension Subscription {
    public var _object: any Subscription & AnyObject { SubscriptionObject(self) }
}

/// An object with a subscription that is a value.
final class SubscriptionObject: Subscription {
    private let base: any Subscription

    init(_ base: any Subscription) {
        self.base = base
    }

    var combineIdentifier: CombineIdentifier { base.combineIdentifier }

    func request(_ demand: Subscribers.Demand) {
        base.request(demand)
    }

    func cancel() {
        base.cancel()
    }
}
