/// The connection between one subscriber and a publisher, through which the subscriber asks for values and stops them.
///
/// `request(_:)` and `cancel()` may be called from any thread, at any time, also from inside a callback.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
    /// Asks for more values, in addition to those asked for earlier.
    ///
    /// - Parameter demand: How many. Demand adds up and saturates at ``Subscribers/Demand/unlimited``. Asking a source for no
    ///   values at all is a programmer's error, as in Combine.
    func request(_ demand: Subscribers.Demand)
}

/// A namespace for types that are subscriptions.
public enum Subscriptions {}
