/// The receiving half for the last of several upstreams: whatever it delivers is the subscriber's, and its completion the stream's.
@usableFromInline
struct SucceedingSubscriber<Downstream: Subscriber>: LinkedSubscriber {
    @usableFromInline let downstream: Downstream
    @usableFromInline let arbiter: UpstreamArbiter
    @usableFromInline let link: UpstreamLink

    @inlinable
    init(downstream: Downstream, arbiter: UpstreamArbiter) {
        self.downstream = downstream
        self.arbiter = arbiter
        link = UpstreamLink(arbiter.name)
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription) { arbiter.attach(link) }
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        guard link.isActive else { return .none }
        arbiter.willDeliver()
        return arbiter.didDeliver(downstream.receive(input))
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        if link.finish(), arbiter.finish() { downstream.receive(completion: completion) }
    }
}
