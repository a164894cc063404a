/// A publisher that delivers the values passed to its `send(_:)`.
///
/// A subject of this library that is released without a completion releases its subscribers, which receive nothing more than
/// the values kept for them. It cancels the publishers that feed it.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
    /// Sends a value to the subscribers.
    ///
    /// Values sent from several threads, or from inside a callback, are delivered one after another. None is lost.
    func send(_ value: Output)

    /// Completes the stream. Signals sent afterwards are ignored.
    func send(completion: Subscribers.Completion<Failure>)

    /// Passes the subscription of a publisher that feeds this subject, from which the subject requests values.
    func send(subscription: any Subscription)
}

extension Subject where Output == Void {
    /// Sends a value without content.
    @inlinable
    public func send() { send(()) }
}
