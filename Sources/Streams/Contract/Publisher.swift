/// A source of a sequence of values over time.
///
/// Every publisher, operator and subscriber of this library keeps the nine rules of <doc:Contract>.
public protocol Publisher<Output, Failure> {
    /// The type of the values.
    associatedtype Output

    /// The type of the failure, `Never` if the publisher cannot fail.
    associatedtype Failure: Error

    /// Attaches a subscriber. Publishers implement it; callers use ``subscribe(_:)->()``.
    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure

    /// All that the publisher delivers to each subscriber, if that is known: at most one value, or a failure. `nil`, the
    /// default, if it is not.
    ///
    /// Operators that subscribe to other publishers, such as `flatMap`, deliver it without a subscription. It is a
    /// requirement because only these are found without a cast, and underscored because a publisher outside of this
    /// package need not know it.
    var _knownOutcome: Result<Output?, Failure>? { get }
}

extension Publisher {
    @inlinable
    @inline(__always)
    public var _knownOutcome: Result<Output?, Failure>? { nil }
}

/// A namespace for Combine's publishers. The publishers that Combine lacks are in ``Operators``.
public enum Publishers {}

extension Publisher {
    /// Attaches a subscriber, which receives its subscription before this call returns, except from `subscribe(on:)`.
    ///
    /// - Parameter subscriber: The subscriber. The stream retains it until it ends or is cancelled.
    @inlinable
    @inline(__always)
    public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
        receive(subscriber: subscriber)
    }
}
