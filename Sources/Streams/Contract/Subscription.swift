/// The connection between one subscriber and a publisher, through which the subscriber asks for values and stops them.
///
/// `request(_:)` and `cancel()` may be called from any thread, at any time, also from inside a callback.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
    /// Asks for more values, in addition to those asked for earlier.
    ///
    /// - Parameter demand: How many. Demand adds up and saturates at ``Subscribers/Demand/unlimited``. Asking a source
    ///   for no values at all is a programmer's error, as in Combine.
    func request(_ demand: Subscribers.Demand)

    /// This subscription as one reference: itself if it is an object, otherwise a box around it.
    ///
    /// It is here for speed: operators keep a subscription for every one of theirs, and a reference is less to keep and
    /// to copy. There is nothing to implement. It may be read on any thread.
    var _reference: any Subscription & AnyObject { get }
}

extension Subscription {
    public var _reference: any Subscription & AnyObject { BoxedSubscription(base: self) }
}

extension Subscription where Self: AnyObject {
    @inlinable public var _reference: any Subscription & AnyObject { self }
}

/// A namespace for types that are subscriptions.
public enum Subscriptions {}

extension Subscriptions {
    /// A subscription that delivers nothing and has nothing to cancel, for publishers that end at once.
    public static var empty: any Subscription { EmptySubscription.shared }
}

/// What ``Subscriptions/empty`` is.
final class EmptySubscription: Subscription, Sendable, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
{
    static let shared = EmptySubscription()

    func request(_ demand: Subscribers.Demand) {}
    func cancel() {}

    var description: String { "Empty" }
    var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
    var playgroundDescription: Any { description }
}
