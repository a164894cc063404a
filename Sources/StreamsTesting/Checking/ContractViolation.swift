import Streams

/// A breach of the contract by a publisher towards one subscriber.
public enum ContractViolation: Hashable, Sendable {
    /// A signal began before the previous one had returned (rule 2).
    ///
    /// While a subscriber receives its subscription, the same thread may deliver the values requested there.
    case overlappingSignals

    /// A value arrived that was not requested (rule 1).
    case valueWithoutDemand

    /// A value or a completion arrived before the subscription (rule 2).
    case signalBeforeSubscription

    /// A second subscription arrived (rule 2).
    case secondSubscription

    /// A signal arrived after the completion (rule 2).
    case signalAfterCompletion

    /// A signal arrived on a thread on which `cancel()` had returned (rule 2).
    ///
    /// Another thread may deliver a value that it had begun to deliver. A publisher that is over from the start may
    /// complete after a cancellation from inside `receive(subscription:)`.
    case signalAfterCancellation
}

extension ContractViolation {
    /// The number of the broken rule of the contract.
    public var rule: Int {
        switch self {
        case .valueWithoutDemand: 1
        case .overlappingSignals, .signalBeforeSubscription, .secondSubscription, .signalAfterCompletion,
            .signalAfterCancellation:
            2
        }
    }
}

extension ContractViolation: CustomStringConvertible {
    /// The number of the broken rule and a sentence.
    public var description: String { "rule \(rule): \(sentence(about: "a signal"))" }

    func sentence(about signal: String) -> String {
        switch self {
        case .overlappingSignals: "the publisher delivered \(signal) before the previous signal had returned"
        case .valueWithoutDemand: "the publisher delivered a value that was not requested"
        case .signalBeforeSubscription: "the publisher delivered \(signal) before the subscription"
        case .secondSubscription: "the publisher delivered a second subscription"
        case .signalAfterCompletion: "the publisher delivered \(signal) after the completion"
        case .signalAfterCancellation: "the publisher delivered \(signal) on a thread on which cancel() had returned"
        }
    }
}

/// A breach of the contract by a subscriber towards its publisher.
public enum SubscriberViolation: Hashable, Sendable {
    /// The subscriber requested `.none` from a subscription (rule 1).
    ///
    /// A subscriber returns `.none` from `receive(_:)` to request nothing more.
    case requestForNothing

    /// The subscriber returned from `receive(subscription:)` without cancelling a second subscription (rule 9).
    case secondSubscriptionNotCancelled
}

extension SubscriberViolation {
    /// The number of the broken rule of the contract.
    public var rule: Int {
        switch self {
        case .requestForNothing: 1
        case .secondSubscriptionNotCancelled: 9
        }
    }
}

extension SubscriberViolation: CustomStringConvertible {
    /// The number of the broken rule and a sentence.
    public var description: String { "rule \(rule): \(sentence)" }

    var sentence: String {
        switch self {
        case .requestForNothing: "the subscriber requested no values"
        case .secondSubscriptionNotCancelled: "the subscriber did not cancel a second subscription"
        }
    }
}
