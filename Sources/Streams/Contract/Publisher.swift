/// Something that delivers a sequence of values over time to those who subscribe.
///
/// The nine rules every publisher, operator and subscriber here keeps are on the page <doc:Contract>.
public protocol Publisher<Output, Failure> {
    /// The kind of values published.
    associatedtype Output

    /// The kind of error the stream may end with, `Never` if it cannot fail.
    associatedtype Failure: Error

    /// Attaches a subscriber. Implemented by publishers; callers use ``subscribe(_:)->()``.
    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

/// A namespace for types that are publishers.
public enum Publishers {}

extension Publisher {
    /// Attaches a subscriber, which receives its subscription before this call returns, unless the publisher moves
    /// subscribing elsewhere.
    ///
    /// - Parameter subscriber: It is kept alive by the stream until the stream ends or is cancelled.
    @inlinable
    @inline(__always)
    public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
        receive(subscriber: subscriber)
    }

    /// Sends everything this publisher delivers to a subject.
    ///
    /// - Parameter subject: Kept alive by the stream until it ends or is cancelled.
    /// - Returns: Ends the connection when it is cancelled or released. The subject itself does not complete by that.
    @inlinable
    @inline(__always)
    public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable where S.Output == Output, S.Failure == Failure {
        let subscriber = SubjectSubscriber(subject)
        subscribe(subscriber)
        return AnyCancellable(taking: subscriber.link)
    }
}
