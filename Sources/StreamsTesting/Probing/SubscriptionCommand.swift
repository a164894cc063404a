import Streams

/// A call of a subscriber to its subscription.
///
/// Probes of all types share this type, so that their records can be compared.
public enum SubscriptionCommand: Hashable, Sendable {
    /// A request for more values.
    case request(Subscribers.Demand)
    /// A cancellation.
    case cancel
}
