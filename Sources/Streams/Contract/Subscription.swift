/// The connection between one subscriber and a publisher, through which the subscriber requests values and cancels.
///
/// A type of any kind may conform. Copies of a value are one subscription: what one requests or cancels holds for all.
/// `request(_:)` and `cancel()` may be called from any thread at any time, also from inside a callback.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
    /// Requests more values, in addition to those requested earlier.
    ///
    /// - Parameter demand: The number of values. Demand adds up and saturates at ``Subscribers/Demand/unlimited``. A
    ///   request for nothing is ignored.
    func request(_ demand: Subscribers.Demand)

    /// The subscription itself if it is an object, otherwise an object with a copy of it.
    ///
    /// Operators store it, because it takes two words and is copied without its type's metadata. It is a requirement
    /// because only these are found without a cast, and underscored because a subscription need not implement it.
    var _object: any Subscription & AnyObject { get }
}

extension Subscription where Self: AnyObject {
    @inlinable
    @inline(__always)
    public var _object: any Subscription & AnyObject { self }
}

/// A namespace for types that are subscriptions.
public enum Subscriptions {}
