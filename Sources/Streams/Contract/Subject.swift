/// A publisher that is fed from outside, by calling `send`.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
    /// Delivers a value to the subscribers.
    ///
    /// Calls from several threads, or from inside a callback, are delivered one after the other; none is lost.
    func send(_ value: Output)

    /// Ends the stream. Whatever is sent afterwards is ignored.
    func send(completion: Subscribers.Completion<Failure>)

    /// Hands the subject the subscription of a publisher that feeds it, for it to ask for values.
    func send(subscription: any Subscription)
}

extension Subject where Output == Void {
    /// Delivers a signal without content.
    @inlinable
    public func send() {
        send(())
    }
}
