import Streams

/// One signal that a subscriber received.
public enum RecordedEvent<Input, Failure: Error> {
    /// A subscription, by its description.
    case subscription(String)

    case value(Input)

    case completion(Subscribers.Completion<Failure>)
}

extension RecordedEvent: Equatable where Input: Equatable, Failure: Equatable {}
extension RecordedEvent: Sendable where Input: Sendable {}

/// One way in which a publisher broke the contract towards a subscriber.
public enum ContractViolation: Hashable, Sendable {
    /// A signal began while another one was in progress (rule 2). Only while the subscription is being received may the same
    /// thread deliver what the subscriber asks for there.
    case overlappingSignals

    /// A value came that nobody had asked for (rule 1).
    case valueWithoutDemand

    /// A value or a completion came before any subscription.
    case signalBeforeSubscription

    /// A second subscription came.
    case secondSubscription

    /// A signal came after the completion (rule 2).
    case signalAfterCompletion

    /// A signal came from the thread on which `cancel()` had returned (rule 2). Another thread may have been about to deliver.
    case signalAfterCancellation
}
