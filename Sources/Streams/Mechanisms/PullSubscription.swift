/// The subscription of a source that emits from inside `request`, as many values as were requested.
///
/// ``SequenceSubscription`` and ``ScalarSubscription`` are its two kinds. The thread that raises the demand from zero
/// emits until the demand is used up. Requests from other threads or from inside a callback only add to the demand. So
/// the contents of the storage belong to one thread at a time.
///
/// The demand is withheld at first, so that a subscription emits nothing: until the subscriber has received it, or until
/// there is something to emit. While it is being received, the thread that hands it over serves requests at once; those of
/// other threads are served right afterwards (rule 2).
///
/// A subclass passes a closure that does the emitting. Closures are specialised where the subscription is created;
/// methods that are called dynamically are not.
@usableFromInline
class PullSubscription: NamedSubscription {
    @usableFromInline
    enum Action {
        /// Emit until the demand is used up.
        case emit

        /// Release the downstream, and what is emitted unless another thread may still be setting that.
        case release(isWithheld: Bool)
    }

    @usableFromInline final let name: String
    @usableFromInline final let demand = AtomicDemand(isWithheld: true)

    /// The thread that hands the subscription over. Nil if there is nothing to emit yet.
    @usableFromInline final let subscribing: ThreadIdentity?

    @usableFromInline final let perform: (PullSubscription, Action) -> Void
    @usableFromInline final let storage: ErasedStorage

    /// - Parameters:
    ///   - name: The publisher's name, as `print()` writes it.
    ///   - isReady: Whether there is something to emit. The caller then calls `handOver(to:)`.
    ///   - storage: The downstream and what to emit.
    ///   - perform: A closure that is called with this object and captures nothing.
    @inlinable
    init(
        _ name: String, isReady: Bool, _ storage: consuming ErasedStorage,
        _ perform: @escaping (PullSubscription, Action) -> Void
    ) {
        self.name = name
        self.storage = storage
        self.perform = perform
        subscribing = isReady ? .current : nil
    }

    /// Hands the subscription to the subscriber, and then serves what was requested meanwhile.
    @inlinable
    final func handOver(to subscriber: some Subscriber) {
        subscriber.receive(subscription: self)
        let before = demand.release()
        guard before.isWithheld else { return }
        if before.isCancelled {
            perform(self, .release(isWithheld: false))
        } else if before.hasDemand {
            perform(self, .emit)
        }
    }

    @usableFromInline
    final func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let before = self.demand.add(demand)
        guard before.isIdle else { return }
        if !before.isWithheld || subscribing == .current { perform(self, .emit) }
    }

    @usableFromInline
    final func cancel() {
        let before = demand.cancel()
        if before.isCancelled { return }
        // A thread that emits, or hands the subscription over, releases everything itself.
        if before.isWithheld ? subscribing == nil : before.isIdle {
            perform(self, .release(isWithheld: before.isWithheld))
        }
    }

    @usableFromInline var description: String { name }
}
