extension Subscriptions {
    /// A subscription that delivers nothing and has nothing to cancel, for publishers that complete at once.
    @inlinable public static var empty: any Subscription { EmptySubscription.shared }
}

/// The type of ``Subscriptions/empty``.
@usableFromInline
final class EmptySubscription: NamedSubscription, Sendable {
    @usableFromInline static let shared = EmptySubscription()

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {}
    @usableFromInline
    func cancel() {}

    @usableFromInline var description: String { "Empty" }
}
