import Streams

/// A signal that a subscriber received.
public enum RecordedEvent<Input, Failure: Error> {
    /// A subscription, by its description.
    case subscription(String)

    /// A value.
    case value(Input)

    /// A completion.
    case completion(Subscribers.Completion<Failure>)
}

extension RecordedEvent: Equatable where Input: Equatable, Failure: Equatable {}
extension RecordedEvent: Sendable where Input: Sendable {}

extension RecordedEvent {
    /// The normal completion.
    public static var finished: RecordedEvent { .completion(.finished) }

    /// A completion with an error.
    public static func failure(_ error: Failure) -> RecordedEvent { .completion(.failure(error)) }

    /// The received value, nil for other signals.
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
