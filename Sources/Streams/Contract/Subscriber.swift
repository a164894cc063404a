/// A receiver of a stream's signals.
///
/// A subscriber receives one subscription, at most as many values as it requested, and at most one completion.
/// The signals are serial: none begins before the previous one has returned. Only a subscriber that says so by
/// ``needsEveryValue`` receives values that it has not requested.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
    /// The type of the values.
    associatedtype Input

    /// The type of the failure, `Never` if the stream cannot fail.
    associatedtype Failure: Error

    /// Receives the subscription. No value arrives before the subscriber has requested some from it.
    func receive(subscription: any Subscription)

    /// Receives a value.
    ///
    /// - Returns: The number of values requested in addition to those requested earlier.
    func receive(_ input: Input) -> Subscribers.Demand

    /// Receives the end of the stream. No signal follows.
    func receive(completion: Subscribers.Completion<Failure>)

    /// Whether the subscriber buffers every value that comes, requested or not, as ``Publisher/values-2iy2q`` does.
    ///
    /// A publisher that would drop a value for want of demand sends it to this subscriber all the same, as if all had
    /// been requested: a subject, or an operator that publishes by its own clock. All others wait for demand. So nothing
    /// is lost (rule 8).
    ///
    /// It is false by default, and must not change. The subscriber of an operator of your own returns the answer of the
    /// subscriber that it passes values on to.
    var needsEveryValue: Bool { get }
}

extension Subscriber {
    /// False.
    @inlinable public var needsEveryValue: Bool { false }
}

extension Subscriber where Input == Void {
    /// Receives a value without content.
    ///
    /// - Returns: The number of values requested in addition.
    @inlinable
    public func receive() -> Subscribers.Demand { receive(()) }
}

/// A namespace for types of subscribers.
public enum Subscribers {}
