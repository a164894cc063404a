/// A publisher that replays a recorded stream, values and completion, to each subscriber.
public struct Record<Output, Failure: Error>: Publisher {
    /// The recording to replay.
    public let recording: Recording

    /// Creates a publisher with a recording that a closure fills.
    ///
    /// - Parameter record: A closure that is called at once. If it records no completion, the stream finishes.
    @inlinable
    public init(record: (inout Recording) -> Void) {
        var recording = Recording()
        record(&recording)
        self.init(recording: recording)
    }

    /// Creates a publisher that replays a recording.
    @inlinable
    public init(recording: Recording) {
        self.recording = recording
    }

    /// Creates a publisher that replays values and a completion.
    ///
    /// - Parameters:
    ///   - output: The values.
    ///   - completion: The completion that follows them.
    @inlinable
    public init(output: [Output], completion: Subscribers.Completion<Failure>) {
        self.init(recording: Recording(output: output, completion: completion))
    }

    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        SequenceSubscription<[Output], S>.start(
            "Record", recording.output, completion: recording.completion, to: subscriber)
    }
}

extension Record: Sendable where Output: Sendable {}
extension Record: Encodable where Output: Encodable, Failure: Encodable {}
extension Record: Decodable where Output: Decodable, Failure: Decodable {}

extension Record {
    /// The values of a stream and its completion.
    public struct Recording {
        /// The type of the recorded values, under the name that subscribers have for it.
        public typealias Input = Output

        /// The values recorded so far.
        public private(set) var output: [Output]

        /// The recorded completion, `finished` by default.
        public private(set) var completion: Subscribers.Completion<Failure>

        private var isComplete: Bool

        /// Creates an empty recording, to be filled.
        public init() {
            output = []
            completion = .finished
            isComplete = false
        }

        /// Creates a complete recording.
        public init(output: [Output], completion: Subscribers.Completion<Failure> = .finished) {
            self.output = output
            self.completion = completion
            isComplete = true
        }

        /// Records a value. Stops the program after the completion, as in Combine.
        public mutating func receive(_ input: Input) {
            precondition(!isComplete, "a stream has no values after its completion")
            output.append(input)
        }

        /// Records the completion. Stops the program if there is one already, as in Combine.
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

    /// Encodes the recording like `encode(to:)`. Combine has both names.
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
