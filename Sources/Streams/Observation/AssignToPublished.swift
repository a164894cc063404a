extension Publisher where Failure == Never {
    /// Sets a ``Published`` property to every value.
    ///
    /// ```swift
    /// clock.assign(to: &model.$now)
    /// ```
    ///
    /// **Demand.** All values are requested at once.
    ///
    /// **Cancellation.** The subscription is cancelled when the property is released with its object. It does not retain
    /// the object, and there is nothing to store.
    ///
    /// - Parameter published: The property's publisher, as `&object.$property`.
    public func assign(to published: inout Published<Output>.Publisher) {
        subscribe(PublishedSubscriber(storage: published.storage))
    }
}

/// A subscriber that sets a published property as long as it exists.
private struct PublishedSubscriber<Value>: Subscriber {
    weak var storage: PublishedStorage<Value>?
    let link = UpstreamLink()

    var combineIdentifier: CombineIdentifier { link.combineIdentifier }

    func receive(subscription: any Subscription) {
        guard link.attach(subscription) else { return }
        // The subject requests all values, and cancels when it is released.
        if let storage { storage.subject.send(subscription: link) } else { link.cancel() }
    }

    func receive(_ input: Value) -> Subscribers.Demand {
        if link.isActive { storage?.set(input) }
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {
        _ = link.complete()
    }
}
