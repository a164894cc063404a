/// A subscription that is not an object, kept as one.
final class BoxedSubscription: Subscription {
    let base: any Subscription

    init(base: any Subscription) {
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

/// The subscription that a reference stands for, as it was received.
func unboxed(_ reference: (any Subscription & AnyObject)?) -> (any Subscription)? {
    (reference as? BoxedSubscription)?.base ?? reference
}
