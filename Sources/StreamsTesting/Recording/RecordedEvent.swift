import Streams

/// One signal that a subscriber received.
public enum RecordedEvent<Input, Failure: Error> {
    /// A subscription, by its description.
    case subscription(String)

    /// A value.
    case value(Input)

    /// The end of the stream.
    case completion(Subscribers.Completion<Failure>)
}

extension RecordedEvent: Equatable where Input: Equatable, Failure: Equatable {}
extension RecordedEvent: Sendable where Input: Sendable {}

extension RecordedEvent {
    /// The normal completion.
    public static var finished: RecordedEvent { .completion(.finished) }

    /// A completion with an error.
    public static func failure(_ error: Failure) -> RecordedEvent { .completion(.failure(error)) }

    /// The value that was received, nil if it was another signal.
    public var value: Input? {
        if case .value(let value) = self { value } else { nil }
    }
}

extension RecordedEvent: CustomStringConvertible {
    /// The signal as a line: `subscription` and a description, a value's own description, `finished`, or `failure` and
    /// the error.
    public var description: String {
        switch self {
        case .subscription(let description): "subscription \(description)"
        case .value(let value): "\(value)"
        case .completion(.finished): "finished"
        case .completion(.failure(let error)): "failure \(error)"
        }
    }
}

/// One way in which a publisher broke the contract towards a subscriber.
public enum ContractViolation: Hashable, Sendable {
    /// A signal began while another one was in progress (rule 2). Only while the subscription is being received may the
    /// same thread deliver what the subscriber asks for there.
    case overlappingSignals

    /// A value came that nobody had asked for (rule 1).
    case valueWithoutDemand

    /// A value or a completion came before any subscription.
    case signalBeforeSubscription

    /// A second subscription came.
    case secondSubscription

    /// A signal came after the completion (rule 2).
    case signalAfterCompletion

    /// A signal came from the thread on which `cancel()` had returned (rule 2). Another thread may have been about to
    /// deliver.
    case signalAfterCancellation
}
