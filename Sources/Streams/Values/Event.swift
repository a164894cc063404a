extension Subscribers {
    /// A signal of a stream as a value: what ``Publisher/materialize()`` makes of the signals, and
    /// ``Publisher/dematerialize()`` turns back into them.
    public enum Event<Output, Failure: Error> {
        /// A value was delivered.
        case value(Output)
        /// The stream failed.
        case failure(Failure)
        /// The stream finished.
        case finished
    }

    /// Something that stands for an ``Event``: what streams that ``Publisher/dematerialize()`` works on are made of.
    public protocol EventConvertible {
        /// The values of the stream.
        associatedtype Output
        /// How the stream may fail.
        associatedtype Failure: Error

        /// The signal that this stands for.
        var event: Event<Output, Failure> { get }
    }
}

extension Subscribers.Event: Equatable where Output: Equatable, Failure: Equatable {}
extension Subscribers.Event: Hashable where Output: Hashable, Failure: Hashable {}
extension Subscribers.Event: Sendable where Output: Sendable {}

extension Subscribers.Event: CustomStringConvertible {
    public var description: String {
        switch self {
        case .value(let value): "value(\(value))"
        case .failure(let error): "failure(\(error))"
        case .finished: "finished"
        }
    }
}

extension Subscribers.Event: Subscribers.EventConvertible {
    public var event: Subscribers.Event<Output, Failure> { self }
}
