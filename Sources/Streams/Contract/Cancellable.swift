/// An activity that can be stopped.
public protocol Cancellable {
    /// Stops the activity. Calling it again does nothing.
    func cancel()
}
