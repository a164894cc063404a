import Streams

/// What a subscriber told its subscription.
///
/// It is the same for all probes, so that what was told to probes of different types can be compared.
public enum SubscriptionCommand: Hashable, Sendable {
    case request(Subscribers.Demand)
    case cancel
}
