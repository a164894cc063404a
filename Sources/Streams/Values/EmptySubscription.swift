extension Subscriptions {
    /// A subscription that delivers nothing and has nothing to cancel, for publishers that end at once.
    public static var empty: any Subscription { EmptySubscription.shared }
}

/// What ``Subscriptions/empty`` is.
final class EmptySubscription: Subscription, Sendable, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
{
    static let shared = EmptySubscription()

    func request(_ demand: Subscribers.Demand) {}
    func cancel() {}

    var description: String { "Empty" }
    var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
    var playgroundDescription: Any { description }
}
