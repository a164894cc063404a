/// The subscription of sources that emit from inside `request`, as much as there is demand for.
///
/// Whoever moves the demand off zero emits, on its thread, until the demand is used up; requests from elsewhere or from inside
/// a callback only add to it. So what is emitted from belongs to one thread at a time. A source is a generic subclass; what it
/// does is handed over as a closure, which is specialised where the source is made, as a method called dynamically would not be.
@usableFromInline
class PullSubscription: Subscription, CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
    @usableFromInline
    enum Turn {
        /// Emit until demand is used up.
        case emit
        /// Let go of everything: the subscriber has cancelled while nobody was emitting.
        case release
    }

    @usableFromInline final let demand = DemandWord()
    @usableFromInline final let take: (PullSubscription, Turn) -> Void

    /// What is emitted from, and to whom.
    @usableFromInline final let compartment: Compartment

    /// - Parameter take: Called with this object. It should capture nothing and downcast that.
    @inlinable
    init(_ compartment: consuming Compartment, _ take: @escaping (PullSubscription, Turn) -> Void) {
        self.compartment = compartment
        self.take = take
    }

    @usableFromInline
    final func request(_ demand: Subscribers.Demand) {
        precondition(demand > .none, "a source must be asked for at least one value")
        if self.demand.add(demand).isIdle { take(self, .emit) }
    }

    @usableFromInline
    final func cancel() {
        // While somebody emits, that thread lets go of everything.
        if demand.cancel().isIdle { take(self, .release) }
    }

    @usableFromInline var description: String { preconditionFailure("overridden") }
    @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
    @usableFromInline final var playgroundDescription: Any { description }
}
