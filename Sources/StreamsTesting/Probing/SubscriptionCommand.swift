import Streams

/// What a subscriber told its subscription.
///
/// It is the same for all probes, so that what was told to probes of different types can be compared.
public enum SubscriptionCommand: Hashable, Sendable {
    /// It asked for so many more values.
    case request(Subscribers.Demand)
    /// It cancelled.
    case cancel
}
