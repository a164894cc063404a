import Synchronization

/// What subjects share: a serialiser, and the list of those who are subscribed, which belongs to the serialiser's owner.
///
/// `send` from any thread delivers directly if nobody else is delivering; otherwise its value waits its turn. Attaching and
/// detaching are events in the same queue, so the list never changes while it is being gone through, and a value needs neither a
/// lock nor a copy of the list. Subscribers are served in the order in which they subscribed.
@usableFromInline
final class SubjectCore<Output, Failure: Error, Memory>: AnySubjectCore
where Memory: SubjectMemory & ~Copyable, Memory.Output == Output {
    @usableFromInline typealias Conduit = SubjectConduit<Output, Failure>

    @usableFromInline
    enum Event {
        case value(Output, version: UInt64)
        case completion(Subscribers.Completion<Failure>)
        case attach(Conduit)
        case start(Conduit)
        case demand(Conduit)
        case detach(Conduit)
    }

    @usableFromInline let name: StaticString
    @usableFromInline let serialiser = Serialiser<Event>()
    @usableFromInline let upstreams = UpstreamSubscriptions()
    @usableFromInline let memory: Memory

    @exclusivity(unchecked) @usableFromInline var conduits = OrderedMembers<Conduit>()

    /// The version of the last value whose turn has come. It belongs to the owner.
    @exclusivity(unchecked) @usableFromInline var handledVersion: UInt64 = 0

    /// Set once, before `isFinished`, and constant from then on.
    @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?
    @usableFromInline let isFinished = Atomic<Bool>(false)

    @inlinable
    init(_ name: StaticString, memory: consuming Memory) {
        self.name = name
        self.memory = memory
        super.init { core, conduit, control in
            let core = unsafeDowncast(core, to: SubjectCore<Output, Failure, Memory>.self)
            let conduit = unsafeDowncast(conduit, to: SubjectConduit<Output, Failure>.self)
            switch control {
            case .demand(let isHeld): core.demandArrived(from: conduit, isHeld: isHeld)
            case .detach: core.submit(.detach(conduit))
            }
        }
    }

    /// Attaches a subscriber. It receives its subscription on this thread, from inside this call, and what arrives meanwhile
    /// right afterwards.
    @inlinable
    func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
        if isFinished.load(ordering: .acquiring), let completion {
            subscriber.receive(subscription: Subscriptions.empty)
            subscriber.receive(completion: completion)
            return
        }
        let ticket = SubjectTicket(name)
        let conduit = SubjectConduitTo(subscriber, ticket: ticket, missedVersion: Memory.hasValue ? 0 : nil)
        ticket.open(core: self, conduit: conduit)
        submit(.attach(conduit))
        subscriber.receive(subscription: ticket)
        if Memory.hasValue { deliverInitial(to: conduit) }
        submit(.start(conduit))
    }

    @inlinable
    func submit(_ event: Event) {
        serialiser.submit(event) { handle($0) }
    }

    @inlinable
    func broadcast(_ value: Output, version: UInt64) {
        handledVersion = version
        conduits.forEach { $0.offer(value, version: version) }
    }

    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .value(let value, let version):
            broadcast(value, version: version)
        case .completion(let completion):
            finish(completion)
        case .attach(let conduit):
            if completion != nil {
                conduit.isCompletionHeld = true
            } else if !conduit.ticket.demand.reading.isCancelled {
                conduits.append(conduit)
            }
        case .start(let conduit):
            conduit.start()
            catchUp(conduit)
            if conduit.isCompletionHeld, let completion { conduit.finish(completion) }
        case .demand(let conduit):
            catchUp(conduit)
        case .detach(let conduit):
            _ = conduits.remove(at: conduit.place)
        }
    }

    @inlinable
    func finish(_ completion: Subscribers.Completion<Failure>) {
        guard self.completion == nil else { return }
        self.completion = completion
        isFinished.store(true, ordering: .releasing)
        for conduit in conduits.removeAll() { conduit.finish(completion) }
        upstreams.cancelAll()
    }
}

extension SubjectCore where Memory: ~Copyable {
    /// A subscriber without demand has asked for values.
    @inlinable
    func demandArrived(from conduit: Conduit, isHeld: Bool) {
        upstreams.requestUnlimited()
        guard Memory.hasValue else { return }
        if !isHeld {
            submit(.demand(conduit))
        } else if let newest = memory.newest {
            conduit.ticket.setInitial(InitialValue(newest))
        }
    }

    /// Delivers the current value to a subscriber that asked while it was held back, on the subscribing thread, which alone
    /// touches the subscriber then.
    @inlinable
    func deliverInitial(to conduit: Conduit) {
        guard let taken = conduit.ticket.takeInitial(), conduit.ticket.demand.takeOne() else { return }
        let initial = unsafeDowncast(taken, to: InitialValue<Output>.self).value
        conduit.initialVersion = initial.version
        let additional = conduit.onValue(conduit, initial.value)
        if additional > .none { conduit.ticket.demand.add(additional) }
    }

    /// Delivers the newest value to a subscriber that has missed it and has demand now. For the owner.
    @inlinable
    func catchUp(_ conduit: Conduit) {
        guard Memory.hasValue, conduit.missedVersion != nil, conduit.ticket.demand.reading.hasDemand else { return }
        // If others are waiting for their turn, so is the newest, and the conduit gets it then.
        if let newest = memory.newest, newest.version == handledVersion { _ = conduit.deliverCounted(newest.value) }
    }
}

/// A current value that is to be delivered first.
@usableFromInline
final class InitialValue<Output> {
    @usableFromInline let value: SubjectValue<Output>

    @inlinable
    init(_ value: SubjectValue<Output>) {
        self.value = value
    }
}
