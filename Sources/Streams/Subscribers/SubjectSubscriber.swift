/// The subscriber that `subscribe(_:)` creates: it sends all signals of a publisher to a subject.
@usableFromInline
struct SubjectSubscriber<Target: Subject>: Subscriber {
    @usableFromInline let subject: Target
    @usableFromInline let link = UpstreamLink("Subject")

    @inlinable var combineIdentifier: CombineIdentifier { link.combineIdentifier }

    @inlinable
    init(_ subject: Target) {
        self.subject = subject
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription) { subject.send(subscription: link) }
    }

    @inlinable
    func receive(_ input: Target.Output) -> Subscribers.Demand {
        if link.isActive { subject.send(input) }
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Target.Failure>) {
        if link.complete() { subject.send(completion: completion) }
    }
}
