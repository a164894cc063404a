/// Delivers the values of an operator that can deliver one more after the upstream's completion, such as `materialize`.
/// RxJava calls it a post-complete subscriber.
///
/// The trailing value waits for demand like any other. So requests go to the upstream and are counted here, each
/// delivered value takes one off, and a ``ScalarSubscription`` delivers the trailing value as soon as demand is left.
/// An operator requests another value of the upstream in place of each that leads to no delivery.
///
/// Values and the end belong to the upstream's serial signals. Requests and cancellation use the link on any thread.
@usableFromInline
struct TrailingValueDelivery<Downstream: Subscriber> {
    @usableFromInline let downstream: Downstream

    /// The link that the operator hands downstream.
    @usableFromInline let link: ScalarLink

    /// Delivers the trailing value. Its demand is that of the whole stream, less the values delivered.
    @usableFromInline let trailing: ScalarSubscription<Downstream>

    /// - Parameters:
    ///   - name: The operator's name, as `print()` writes it.
    ///   - downstream: The subscriber of the operator.
    @inlinable
    init(_ name: String, downstream: Downstream) {
        self.downstream = downstream
        trailing = ScalarSubscription(name, downstream: downstream)
        link = ScalarLink(trailing, forwardsDemand: true)
    }

    /// Delivers a value before the upstream's completion.
    ///
    /// - Returns: The demand to return to the upstream.
    @inlinable
    func deliver(_ value: Downstream.Input) -> Subscribers.Demand {
        if !trailing.demand.reading.isUnlimited { _ = trailing.demand.takeOne() }
        let additional = downstream.receive(value)
        if additional > .none { trailing.demand.add(additional) }
        return additional
    }

    /// Delivers the trailing value on demand, and then finishes.
    @inlinable
    func finish(after value: Downstream.Input) {
        trailing.resolve(.value(value))
    }

    /// Delivers a completion without a trailing value. It does not wait for demand.
    @inlinable
    func complete(_ completion: Subscribers.Completion<Downstream.Failure>) {
        trailing.resolve(.completion(completion))
    }
}
