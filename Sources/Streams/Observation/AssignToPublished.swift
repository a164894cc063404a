extension Publisher where Failure == Never {
    /// Sets a ``Published`` property to every value.
    ///
    /// ```swift
    /// clock.assign(to: &model.$now)
    /// ```
    ///
    /// **Demand.** All values there are are asked for.
    ///
    /// **Cancellation.** There is nothing to keep: the subscription is cancelled when the property goes, with its
    /// object. It does not keep the object.
    ///
    /// - Parameter published: The property's publisher, as `&object.$property`.
    public func assign(to published: inout Published<Output>.Publisher) {
        subscribe(PublishedSubscriber(storage: published.storage))
    }
}

/// Sets a property as long as there is one.
private struct PublishedSubscriber<Value>: LinkedSubscriber {
    weak var storage: PublishedStorage<Value>?
    let link = UpstreamLink(.publishedSubscriber)

    func receive(subscription: any Subscription) {
        guard link.attach(subscription) else { return }
        // The subject asks for everything, and cancels when it goes.
        if let storage { storage.subject.send(subscription: link) } else { link.cancel() }
    }

    func receive(_ input: Value) -> Subscribers.Demand {
        if link.isActive { storage?.set(input) }
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {
        _ = link.finish()
    }
}
