/// The subscription of sources that emit from inside `request`, as much as there is demand for.
///
/// Whoever moves the demand off zero emits, on its thread, until the demand is used up; requests from elsewhere or from
/// inside a callback only add to it. So what is emitted from belongs to one thread at a time. A source is a generic
/// subclass; what it does is handed over as a closure, which is specialised where the source is made, as a method
/// called dynamically would not be.
///
/// Until the subscriber has received the subscription, it belongs to the thread that hands that over: requests made
/// there, from inside `receive(subscription:)`, are served at once, and those of other threads right afterwards (rule
/// 2).
@usableFromInline
class PullSubscription: NamedSubscription {
    @usableFromInline
    enum Turn {
        /// Emit until demand is used up.
        case emit
        /// Let go of everything, which ends the demand: the subscriber has cancelled while nobody was emitting.
        case release
    }

    @usableFromInline final let demand = AtomicDemand(isHeld: true)
    @usableFromInline final let subscribing = ThreadIdentity.current
    @usableFromInline final let take: (PullSubscription, Turn) -> Void

    /// What is emitted from, and to whom.
    @usableFromInline final let storage: ErasedStorage

    /// - Parameter take: Called with this object. It should capture nothing and downcast that.
    @inlinable
    init(_ storage: consuming ErasedStorage, _ take: @escaping (PullSubscription, Turn) -> Void) {
        self.storage = storage
        self.take = take
    }

    /// Gives the subscriber its subscription, and then what has been asked for meanwhile. Called once, where this was
    /// made.
    @inlinable
    final func handOver(to subscriber: some Subscriber) {
        subscriber.receive(subscription: self)
        let before = demand.release()
        guard before.isHeld else { return }
        if before.isCancelled {
            take(self, .release)
        } else if before.hasDemand {
            take(self, .emit)
        }
    }

    /// Asks for more values. Asking for none is allowed, as by Combine's sequences.
    @usableFromInline
    final func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let before = self.demand.add(demand)
        guard before.isIdle else { return }
        if !before.isHeld || subscribing == .current { take(self, .emit) }
    }

    @usableFromInline
    final func cancel() {
        let before = demand.cancel()
        // While somebody emits, or hands this over, that thread lets go of everything.
        if before.isIdle, !before.isHeld { take(self, .release) }
    }

    @usableFromInline var description: String { preconditionFailure("overridden") }
}
