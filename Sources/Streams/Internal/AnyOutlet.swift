/// An `Outlet`, whoever the subscriber is.
@usableFromInline
class AnyOutlet<Input, Failure: Error>: Subscription, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
{
    /// The link to what sends the values.
    @usableFromInline final let link: UpstreamLink
    @usableFromInline final let demand = DemandWord()

    @usableFromInline
    init(_ name: OperatorName) {
        link = UpstreamLink(name)
    }

    /// Whether nobody listens any more: the subscriber has cancelled, or its completion has been delivered.
    @inlinable final var isOver: Bool { demand.reading.isCancelled }

    /// Hands this to the subscriber. What is sent meanwhile is delivered after it.
    @usableFromInline
    func open() {
        preconditionFailure("overridden")
    }

    /// Delivers a value, now or as soon as there is demand for it.
    @usableFromInline
    func send(_ value: Input) {
        preconditionFailure("overridden")
    }

    /// Delivers a completion after the values that were sent before. Nothing that is sent later counts.
    @usableFromInline
    func send(completion: Subscribers.Completion<Failure>) {
        preconditionFailure("overridden")
    }

    /// Delivers a completion, and ends the source.
    final func finish(_ completion: Subscribers.Completion<Failure>) {
        send(completion: completion)
        link.cancelUpstream()
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        preconditionFailure("overridden")
    }

    @usableFromInline
    func cancel() {
        preconditionFailure("overridden")
    }

    @usableFromInline var description: String { link.description }
    @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
    @usableFromInline var playgroundDescription: Any { description }
}

// Safe because signals go through a serialiser, and everything else is atomic. Values can be sent from any thread only where
// they are Sendable, which is up to what holds this.
extension AnyOutlet: @unchecked Sendable {}
