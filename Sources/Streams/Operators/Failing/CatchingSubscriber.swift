/// The receiving half of the operators that go on with another publisher where one fails.
@usableFromInline
struct CatchingSubscriber<NewPublisher: Publisher, Failure: Error, Thrown: Error, Downstream: Subscriber>:
    LinkedSubscriber
where Downstream.Input == NewPublisher.Output {
    @usableFromInline let downstream: Downstream
    @usableFromInline let handler: @Sendable (Failure) throws(Thrown) -> NewPublisher
    @usableFromInline let ending: Ending<NewPublisher.Failure, Thrown, Downstream.Failure>
    @usableFromInline let arbiter: UpstreamArbiter
    @usableFromInline let link: UpstreamLink

    /// - Parameters:
    ///   - name: Combine's name for the operator.
    ///   - handler: Makes the publisher to go on with.
    ///   - ending: Makes the subscriber's completion out of that publisher's, or out of what the handler has thrown.
    @inlinable
    init(
        _ name: OperatorName,
        downstream: Downstream,
        handler: @escaping @Sendable (Failure) throws(Thrown) -> NewPublisher,
        ending: Ending<NewPublisher.Failure, Thrown, Downstream.Failure>
    ) {
        self.downstream = downstream
        self.handler = handler
        self.ending = ending
        arbiter = UpstreamArbiter(name, showing: Downstream.self)
        link = UpstreamLink(name)
    }

    @usableFromInline var customMirror: Mirror { arbiter.customMirror }

    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription), arbiter.attach(link) { downstream.receive(subscription: arbiter) }
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        arbiter.willDeliver()
        return arbiter.didDeliver(downstream.receive(input))
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        guard link.finish() else { return arbiter.refuse(completion) }
        switch completion {
        case .finished:
            if arbiter.finish() { downstream.receive(completion: .finished) }
        case .failure(let error):
            arbiter.detach()
            recover(from: error)
        }
    }

    @inlinable
    func recover(from failure: Failure) {
        let replacement: NewPublisher
        do {
            replacement = try handler(failure)
        } catch {
            if arbiter.finish() { downstream.receive(completion: .failure(ending.failure(error))) }
            return
        }
        replacement.subscribe(SucceedingSubscriber(downstream: downstream, arbiter: arbiter, ending: ending.completion))
    }
}
