/// An activity that can be stopped before it ends by itself.
public protocol Cancellable {
    /// Stops the activity and releases what it holds.
    ///
    /// Further calls, from any thread or from inside a callback, do nothing.
    func cancel()
}
