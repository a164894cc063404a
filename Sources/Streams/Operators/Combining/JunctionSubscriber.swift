/// The receiving half of an input.
@usableFromInline
struct JunctionSubscriber<Link: JunctionInput, Downstream: Subscriber>: LinkedSubscriber {
    @usableFromInline let link: Link
    @usableFromInline let junction: Junction<Downstream>

    @inlinable
    init(link: Link, junction: Junction<Downstream>) {
        self.link = link
        self.junction = junction
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription) { junction.attached() }
    }

    @inlinable
    func receive(_ input: Link.Value) -> Subscribers.Demand {
        link.isActive ? junction.accept(input, from: link) : .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        switch completion {
        case .finished:
            let link = link
            if link.finish() { junction.submit(.arrival { link.end() }) }
        case .failure(let error):
            // Combine cancels the input that failed as well.
            if link.cancelUpstream() { junction.submit(.failure(error)) }
        }
    }
}
