/// Feeds a subject with everything a publisher delivers.
@usableFromInline
struct SubjectSubscriber<Target: Subject>: LinkedSubscriber {
    @usableFromInline let subject: Target
    @usableFromInline let link = UpstreamLink(.subject)

    @inlinable
    init(_ subject: Target) {
        self.subject = subject
    }

    @usableFromInline var customMirror: Mirror { Mirror(self, children: ["subject": subject, "subscription": link]) }

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
        if link.finish() { subject.send(completion: completion) }
    }
}
