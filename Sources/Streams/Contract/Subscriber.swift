/// The receiving end of a stream.
///
/// A subscriber receives one subscription, then at most as many values as it asked for, then at most one completion.
/// The signals are serial: none begins before the previous one has returned.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
    /// The kind of values received.
    associatedtype Input

    /// The kind of error received, `Never` if there is none.
    associatedtype Failure: Error

    /// The publisher accepted this subscriber. No value arrives before some are requested from the subscription.
    func receive(subscription: any Subscription)

    /// A value arrived.
    ///
    /// - Returns: How many more values are wanted, in addition to those asked for earlier. Nothing is asked for with
    ///   `.none`.
    func receive(_ input: Input) -> Subscribers.Demand

    /// The stream ended. No further signal follows.
    func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
    /// A signal without content arrived.
    ///
    /// - Returns: How many more are wanted.
    @inlinable
    public func receive() -> Subscribers.Demand {
        receive(())
    }
}

/// A namespace for types that are subscribers.
public enum Subscribers {}
