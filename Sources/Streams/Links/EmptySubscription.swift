extension Subscriptions {
    /// A subscription that delivers nothing and has nothing to cancel, for publishers that complete at once.
    public static var empty: any Subscription { EmptySubscription.shared }
}

/// The type of ``Subscriptions/empty``.
final class EmptySubscription: NamedSubscription, Sendable {
    static let shared = EmptySubscription()

    func request(_ demand: Subscribers.Demand) {}
    func cancel() {}

    var description: String { "Empty" }
}
