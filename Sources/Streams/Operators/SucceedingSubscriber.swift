/// The receiving half for the last of several upstreams: whatever it delivers is the subscriber's, and its completion the stream's.
@usableFromInline
struct SucceedingSubscriber<Downstream: Subscriber, Failure: Error>: LinkedSubscriber {
    @usableFromInline let downstream: Downstream
    @usableFromInline let arbiter: UpstreamArbiter
    @usableFromInline let link: UpstreamLink

    /// Turns this upstream's failure into the stream's.
    @usableFromInline let convert: @Sendable (Failure) -> Downstream.Failure

    @inlinable
    init(
        downstream: Downstream, arbiter: UpstreamArbiter,
        converting convert: @escaping @Sendable (Failure) -> Downstream.Failure
    ) {
        self.downstream = downstream
        self.arbiter = arbiter
        self.convert = convert
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
        guard arbiter.takeDemand() else { return .none }
        return arbiter.didDeliver(downstream.receive(input))
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        guard link.finish(), arbiter.finish() else { return }
        switch completion {
        case .finished: downstream.receive(completion: .finished)
        case .failure(let error): downstream.receive(completion: .failure(convert(error)))
        }
    }
}

extension SucceedingSubscriber where Failure == Downstream.Failure {
    @inlinable
    init(downstream: Downstream, arbiter: UpstreamArbiter) {
        self.init(downstream: downstream, arbiter: arbiter) { $0 }
    }
}
