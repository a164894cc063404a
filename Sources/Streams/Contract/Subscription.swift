/// The connection between one subscriber and a publisher, through which the subscriber requests values and cancels.
///
/// It is an object, because a subscription has an identity. `request(_:)` and `cancel()` may be called from any thread
/// at any time, also from inside a callback.
public protocol Subscription: AnyObject, Cancellable, CustomCombineIdentifierConvertible {
    /// Requests more values, in addition to those requested earlier.
    ///
    /// - Parameter demand: The number of values. Demand adds up and saturates at ``Subscribers/Demand/unlimited``. A
    ///   request for nothing is ignored.
    func request(_ demand: Subscribers.Demand)
}

/// A namespace for types that are subscriptions.
public enum Subscriptions {}
