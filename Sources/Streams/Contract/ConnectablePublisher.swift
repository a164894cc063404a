/// A publisher that starts to deliver only when it is told to, so that all subscribers can be attached first.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
    /// Starts delivering.
    ///
    /// - Returns: Stops delivering when it is cancelled.
    func connect() -> any Cancellable
}
