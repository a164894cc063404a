/// Tells that an object is about to change.
///
/// As in Combine, a subscriber that has asked for any signal gets all of them: a signal carries nothing to be
/// overwhelmed by.
public final class ObservableObjectPublisher: Publisher, @unchecked Sendable {
    public typealias Output = Void
    public typealias Failure = Never

    // Safe because the core makes serial what comes from any thread, and signals carry nothing.
    private let core = SubjectCore<Void, Never, NoMemory<Void>>(.observableObjectPublisher, memory: NoMemory())

    /// Creates a publisher that nothing has been sent by.
    public init() {}

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
        core.subscribe(Inner(downstream: subscriber))
    }

    /// Tells all subscribers. One called on another thread or from inside a callback is delivered after the one under
    /// way.
    public func send() {
        core.submit(.value((), version: 0))
    }
}

extension ObservableObjectPublisher {
    /// Makes any demand unlimited.
    private final class GreedyLink: KeepingLink {
        override func request(_ demand: Subscribers.Demand) {
            if demand > .none { super.request(.unlimited) }
        }
    }

    private struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Void, Downstream.Failure == Never {
        let downstream: Downstream
        let link: GreedyLink

        init(downstream: Downstream) {
            self.downstream = downstream
            link = GreedyLink(
                .observableObjectPublisher, keeping: foreignObject(downstream), portrait: .subscriber)
        }

        func receive(subscription: any Subscription) {
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        func receive(_ input: Void) -> Subscribers.Demand {
            link.isActive ? downstream.receive(input) : .none
        }

        func receive(completion: Subscribers.Completion<Never>) {
            if link.finish() { downstream.receive(completion: completion) }
        }
    }
}
