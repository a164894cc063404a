/// The receiving half for the last of several upstreams: whatever it delivers is the subscriber's, and its completion
/// the stream's.
@usableFromInline
struct SucceedingSubscriber<Downstream: Subscriber, Failure: Error>: LinkedSubscriber {
    @usableFromInline let downstream: Downstream
    @usableFromInline let arbiter: UpstreamArbiter
    @usableFromInline let link: UpstreamLink

    /// Turns this upstream's completion into the stream's.
    @usableFromInline let ending:
        @Sendable (Subscribers.Completion<Failure>) -> Subscribers.Completion<Downstream.Failure>

    @inlinable
    init(
        downstream: Downstream, arbiter: UpstreamArbiter,
        ending: @escaping @Sendable (Subscribers.Completion<Failure>) -> Subscribers.Completion<Downstream.Failure>
    ) {
        self.downstream = downstream
        self.arbiter = arbiter
        self.ending = ending
        link = UpstreamLink(arbiter.name)
    }

    @inlinable var combineIdentifier: CombineIdentifier { arbiter.combineIdentifier }

    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription) { arbiter.attach(link) }
    }

    @usableFromInline var customMirror: Mirror { arbiter.customMirror }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        guard link.isActive, arbiter.takeDemand() else { return .none }
        return arbiter.didDeliver(downstream.receive(input))
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        if link.finish(), arbiter.finish() { downstream.receive(completion: ending(completion)) }
    }
}

extension SucceedingSubscriber where Failure == Downstream.Failure {
    @inlinable
    init(downstream: Downstream, arbiter: UpstreamArbiter) {
        self.init(downstream: downstream, arbiter: arbiter, ending: { $0 })
    }
}
