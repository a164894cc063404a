import Synchronization

/// What subjects share: a serialiser, and the list of those who are subscribed, which belongs to the serialiser's
/// owner.
///
/// `send` from any thread delivers directly if nobody else is delivering; otherwise its value waits its turn. Attaching
/// and detaching are events in the same queue, so the list never changes while it is being gone through, and a value
/// needs neither a lock nor a copy of the list. Subscribers are served in the order in which they subscribed.
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
        /// With the value that was current as the subscriber asked. Not in the event itself, which is small without.
        indirect case demand(Conduit, current: SubjectValue<Output>)
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

    /// Attaches a subscriber. It receives its subscription on this thread, from inside this call, and what arrives
    /// meanwhile right afterwards.
    @inlinable
    func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
        if isFinished.load(ordering: .acquiring), let completion {
            subscriber.receive(subscription: Subscriptions.empty)
            subscriber.receive(completion: completion)
            return
        }
        let conduit = SubjectConduitTo(name, core: self, to: subscriber)
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
            if Memory.hasValue { conduit.missedVersion = handledVersion }
            if completion != nil {
                conduit.isCompletionHeld = true
            } else if !conduit.demand.reading.isCancelled {
                conduits.append(conduit)
            }
        case .start(let conduit):
            conduit.start(after: handledVersion)
            if let newest = memory.newest { catchUp(conduit, to: newest) }
            if conduit.isCompletionHeld, let completion { conduit.finish(completion) }
        case .demand(let conduit, let current):
            catchUp(conduit, to: current)
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
        guard let current = memory.newest, !isHeld || !conduit.setInitial(current) else { return }
        if serialiser.enter() {
            catchUp(conduit, to: current)
            serialiser.leave { handle($0) }
        } else if serialiser.enqueue(.demand(conduit, current: current)) {
            serialiser.drain { handle($0) }
        }
    }

    /// Delivers a value that was current as the subscriber asked, if its turn was the last one and the subscriber
    /// missed it. For the owner.
    ///
    /// If its turn is still to come, the subscriber gets it then. If others have had theirs since, the subscriber got
    /// those.
    @inlinable
    func catchUp(_ conduit: Conduit, to current: SubjectValue<Output>) {
        guard current.version == handledVersion, conduit.missedVersion == handledVersion else { return }
        _ = conduit.deliverCounted(current.value)
    }
}
