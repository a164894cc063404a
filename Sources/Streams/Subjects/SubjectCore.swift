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

    @usableFromInline let name: OperatorName
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
    init(_ name: OperatorName, memory: consuming Memory) {
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
        let conduit = SubjectConduitTo(name, core: self, to: subscriber, missedVersion: Memory.hasValue ? 0 : nil)
        submit(.attach(conduit))
        subscriber.receive(subscription: conduit)
        if Memory.hasValue { conduit.deliverInitial() }
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
            } else if !conduit.demand.reading.isCancelled {
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
            conduit.leave()
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
            conduit.setInitial(newest)
        }
    }

    /// Delivers the newest value to a subscriber that has missed it and has demand now. For the owner.
    @inlinable
    func catchUp(_ conduit: Conduit) {
        guard Memory.hasValue, conduit.missedVersion != nil, conduit.demand.reading.hasDemand else { return }
        // If others are waiting for their turn, so is the newest, and the conduit gets it then.
        if let newest = memory.newest, newest.version == handledVersion { _ = conduit.deliverCounted(newest.value) }
    }
}
