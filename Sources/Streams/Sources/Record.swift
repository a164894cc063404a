/// A publisher that replays what was recorded: values, as they are asked for, and how the stream ended.
public struct Record<Output, Failure: Error>: Publisher {
    /// What is replayed to each subscriber.
    public let recording: Recording

    /// Records now, and replays to whoever subscribes.
    ///
    /// - Parameter record: Called at once, with a recording to fill. Without a completion it ends as finished.
    @inlinable
    public init(record: (inout Recording) -> Void) {
        var recording = Recording()
        record(&recording)
        self.init(recording: recording)
    }

    /// A publisher that replays `recording` to whoever subscribes.
    @inlinable
    public init(recording: Recording) {
        self.recording = recording
    }

    /// - Parameters:
    ///   - output: The values.
    ///   - completion: How the stream ends after them.
    @inlinable
    public init(output: [Output], completion: Subscribers.Completion<Failure>) {
        self.init(recording: Recording(output: output, completion: completion))
    }

    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        var iterator = recording.output.makeIterator()
        guard let first = iterator.next() else {
            subscriber.receive(subscription: Subscriptions.empty)
            subscriber.receive(completion: recording.completion)
            return
        }
        RecordSubscription(
            recording.output,
            remaining: .init(iterator: iterator, upcoming: first),
            downstream: subscriber,
            completion: recording.completion
        ).handOver(to: subscriber)
    }
}

extension Record: Sendable where Output: Sendable {}
extension Record: Encodable where Output: Encodable, Failure: Encodable {}
extension Record: Decodable where Output: Decodable, Failure: Decodable {}

/// Replays a recording to one subscriber.
@usableFromInline
final class RecordSubscription<Downstream: Subscriber>: SequenceSubscription<[Downstream.Input], Downstream> {
    @usableFromInline override var description: String { elements?.description ?? "Cancelled Events" }
}

extension Record {
    /// The values of a stream, and how it ended.
    public struct Recording {
        /// What it records, by the name that a subscriber has for it.
        public typealias Input = Output

        /// The values so far.
        public private(set) var output: [Output]

        /// How the stream ended: finished, unless something else was recorded.
        public private(set) var completion: Subscribers.Completion<Failure>

        private var isComplete: Bool

        /// A recording that is to be filled.
        public init() {
            output = []
            completion = .finished
            isComplete = false
        }

        /// A recording that is complete.
        public init(output: [Output], completion: Subscribers.Completion<Failure> = .finished) {
            self.output = output
            self.completion = completion
            isComplete = true
        }

        /// Records a value. After the completion that is a programmer's error.
        public mutating func receive(_ input: Input) {
            precondition(!isComplete, "a stream has no values after its completion")
            output.append(input)
        }

        /// Records the completion. A second one is a programmer's error.
        public mutating func receive(completion: Subscribers.Completion<Failure>) {
            precondition(!isComplete, "a stream completes once")
            self.completion = completion
            isComplete = true
        }
    }
}

extension Record.Recording: Sendable where Output: Sendable {}

extension Record.Recording: Encodable where Output: Encodable, Failure: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: RecordingKey.self)
        try container.encode(output, forKey: .output)
        try container.encode(completion, forKey: .completion)
    }

    /// The same as `encode(to:)`, by the name that Combine has for it as well.
    public func encode(into encoder: any Encoder) throws {
        try encode(to: encoder)
    }
}

extension Record.Recording: Decodable where Output: Decodable, Failure: Decodable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: RecordingKey.self)
        self.init(
            output: try container.decode([Output].self, forKey: .output),
            completion: try container.decode(Subscribers.Completion<Failure>.self, forKey: .completion))
    }
}

private enum RecordingKey: String, CodingKey {
    case output
    case completion
}
