/// A publisher that delivers the values passed to its `send(_:)`.
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
