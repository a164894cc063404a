import Synchronization

/// The inside of a `ReplaySubject`: a log of the newest values, and for each subscriber how far in it that is.
///
/// Everything belongs to the owner of the signals. A value that comes is written to the log, and whoever has demand
/// and has read all before it reads on; so values sent and values kept take the same way, and keep their order. While a
/// subscriber is being handed its subscription nothing falls out of the log, as it may ask for what is sent meanwhile.
@usableFromInline
final class ReplayCore<Output, Failure: Error>: AnySubjectCore {
    @usableFromInline typealias Conduit = SubjectConduit<Output, Failure>

    @usableFromInline
    enum Event {
        case value(Output)
        case completion(Subscribers.Completion<Failure>)
        case attach(Conduit)
        case start(Conduit)
        case demand(Conduit)
        case detach(Conduit)
    }

    @usableFromInline let bufferSize: Int
    @usableFromInline let signals = SerialDrain<Event>()
    @usableFromInline let upstreams = UpstreamSubscriptions()
    @usableFromInline let finished = Atomic<Bool>(false)

    // These belong to the owner of the signals.
    @exclusivity(unchecked) @usableFromInline var conduits = SlotList<Conduit>()
    @exclusivity(unchecked) @usableFromInline var log = RingBuffer<Output>()
    /// The version of the next value. Those in the log have the versions right before it.
    @exclusivity(unchecked) @usableFromInline var nextVersion: UInt64 = 0
    @exclusivity(unchecked) @usableFromInline var heldConduits = 0
    @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?

    @inlinable
    init(bufferSize: Int) {
        precondition(bufferSize >= 0, "a buffer has no negative size")
        self.bufferSize = bufferSize
        super.init { core, conduit, control in
            let core = unsafeDowncast(core, to: ReplayCore<Output, Failure>.self)
            let conduit = unsafeDowncast(conduit, to: SubjectConduit<Output, Failure>.self)
            switch control {
            case .demand(isHeld: true): break
            case .demand(isHeld: false): core.submit(.demand(conduit))
            case .detach: core.submit(.detach(conduit))
            }
        }
    }

    /// Whether it has completed.
    @inlinable var isFinished: Bool { finished.load(ordering: .acquiring) }

    /// Attaches a subscriber. It receives its subscription on this thread, from inside this call.
    @inlinable
    func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
        let conduit = SubjectConduitTo("ReplaySubject", core: self, to: subscriber)
        submit(.attach(conduit))
        subscriber.receive(subscription: conduit)
        submit(.start(conduit))
    }

    @inlinable
    func submit(_ event: Event) {
        signals.submit(event) { handle($0) }
    }

    @inlinable
    func broadcast(_ value: Output) {
        guard completion == nil else { return }
        log.append(value)
        nextVersion += 1
        conduits.forEach { deliver(to: $0) }
        trim()
    }

    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .value(let value):
            broadcast(value)
        case .completion(let completion):
            finish(completion)
        case .attach(let conduit):
            conduit.nextVersion = nextVersion - UInt64(min(log.count, bufferSize))
            heldConduits += 1
            conduits.append(conduit)
        case .start(let conduit):
            heldConduits -= 1
            conduit.start(after: nextVersion)
            advance(conduit)
            trim()
            // Others may have waited for what is not kept any more.
            if completion != nil, log.isEmpty { concludeAll() }
        case .demand(let conduit):
            advance(conduit)
        case .detach(let conduit):
            _ = conduits.remove(at: conduit.place)
            conduit.leave()
        }
    }

    /// Delivers what is due to one subscriber, and lets go of it if that was all.
    @inlinable
    func advance(_ conduit: Conduit) {
        deliver(to: conduit)
        if conclude(conduit) { _ = conduits.remove(at: conduit.place) }
    }

    /// Delivers values as far as there are any, and demand for them.
    @inlinable
    func deliver(to conduit: Conduit) {
        if conduit.demand.reading.isHeld { return }
        while case let unread = unreadCount(of: conduit), unread > 0,
            conduit.demand.reading == .flowing || conduit.demand.takeOne()
        {
            let value = log[log.count - unread]
            conduit.nextVersion = nextVersion - UInt64(unread) + 1
            let additional = conduit.onValue(conduit, value)
            if additional > .none { conduit.demand.add(additional) }
        }
    }

    /// How many of the values in the log are still to go to a subscriber.
    @inlinable
    func unreadCount(of conduit: Conduit) -> Int {
        Int(min(nextVersion - conduit.nextVersion, UInt64(log.count)))
    }

    /// Delivers the completion to a subscriber that has all values.
    ///
    /// - Returns: Whether nothing more will go to it.
    @inlinable
    func conclude(_ conduit: Conduit) -> Bool {
        guard let completion, unreadCount(of: conduit) == 0, !conduit.demand.reading.isHeld else {
            return conduit.demand.reading.isCancelled
        }
        if conduit.expire() { conduit.onEnd(conduit, completion) }
        return true
    }

    /// Lets go of the values that are not kept any more.
    @inlinable
    func trim() {
        while log.count > bufferSize, heldConduits == 0 { log.popFirst() }
    }

    @usableFromInline
    func finish(_ completion: Subscribers.Completion<Failure>) {
        guard self.completion == nil else { return }
        self.completion = completion
        finished.store(true, ordering: .releasing)
        concludeAll()
        upstreams.cancelAll()
    }

    /// Delivers the completion to all who have all values. The others stay.
    @usableFromInline
    func concludeAll() {
        for conduit in conduits.removeAll() where !conclude(conduit) { conduits.append(conduit) }
    }
}
