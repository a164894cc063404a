/// The subscriber of an operator that hands the upstream's subscription downstream as it is: `map`, `filter`, `scan`,
/// `mapError` and others that neither change demand on its way up nor end the stream.
///
/// It is a struct of constants, and the source holds a chain of them in one piece. So a value passes without a lock, an
/// allocation or reference counting, and the whole chain is released with the source's subscriber (rule 6). It keeps
/// no record of the stream's state: signals out of turn pass through, to be ignored further down (rule 9). It is called
/// by the upstream alone, whose signals are serial.
@usableFromInline
protocol ForwardingSubscriber: Subscriber {
    associatedtype Downstream: Subscriber

    var downstream: Downstream { get }
}

extension ForwardingSubscriber {
    /// The identifier of the subscriber that everything is forwarded to: such subscribers are structs without an
    /// identity.
    @inlinable var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    @inlinable var needsEveryValue: Bool { downstream.needsEveryValue }

    @inlinable
    func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
    }
}

extension ForwardingSubscriber where Failure == Downstream.Failure {
    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        downstream.receive(completion: completion)
    }
}
