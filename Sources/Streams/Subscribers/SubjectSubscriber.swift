extension Publisher {
    /// Sends all signals of this publisher to a subject.
    ///
    /// - Parameter subject: The subject. The stream retains it until it ends or is cancelled.
    /// - Returns: The connection, which is cancelled when it is released. Cancelling does not complete the subject.
    @inlinable
    @inline(__always)
    public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable where S.Output == Output, S.Failure == Failure {
        let subscriber = SubjectSubscriber(subject)
        subscribe(subscriber)
        return AnyCancellable(taking: subscriber.link)
    }
}

extension AnySubscriber {
    /// Creates a subscriber that sends all signals to a subject.
    @inlinable
    public init<S: Subject>(_ subject: S) where S.Output == Input, S.Failure == Failure {
        self.init(SubjectSubscriber(subject))
    }
}

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
