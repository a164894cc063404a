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
    @usableFromInline override var customMirror: Mirror {
        Mirror(self, children: ["sequence": shownElements, "completion": parts.pointee.completion])
    }
}
