/// A publisher that starts to deliver when `connect()` is called, so that all subscribers can subscribe first.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
    /// Starts to deliver.
    ///
    /// - Returns: The connection. Cancelling it stops the delivery.
    func connect() -> any Cancellable
}
