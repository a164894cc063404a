import Synchronization

/// Both halves of a buffer. Signals and requests go through a serialiser, whose owner alone touches the kept values.
@usableFromInline
final class BufferLink<Downstream: Subscriber>: KeepingLink, Subscriber {
    @usableFromInline
    enum Event {
        case start
        case value(Downstream.Input)
        case completion(Subscribers.Completion<Downstream.Failure>)
        case demand
        case cancellation
    }

    @usableFromInline let prefetch: Publishers.PrefetchStrategy
    @usableFromInline let demand = DemandWord()
    @usableFromInline let owed = OwedDemand()
    @usableFromInline let serialiser = Serialiser<Event>()

    /// Whether values are kept beyond the size, because the upstream may send more than it is asked for, and come
    /// before a failure.
    @usableFromInline let losesNothing = Atomic<Bool>(false)

    // These belong to the owner of the serialiser.
    @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
    @exclusivity(unchecked) @usableFromInline var kept: KeptValues<Downstream.Input, Downstream.Failure>
    @exclusivity(unchecked) @usableFromInline var isStarted = false
    @exclusivity(unchecked) @usableFromInline var ending: Subscribers.Completion<Downstream.Failure>?

    @usableFromInline
    init(
        downstream: Downstream, size: Int, prefetch: Publishers.PrefetchStrategy,
        whenFull: Publishers.BufferingStrategy<Downstream.Failure>
    ) {
        self.downstream = downstream
        self.prefetch = prefetch
        kept = KeptValues(limit: size, whenFull: whenFull)
        super.init(.buffer, keeping: foreignObject(downstream))
    }

    @usableFromInline
    func receive(subscription: any Subscription) {
        guard attach(subscription) else { return }
        let prefetched = prefetch == .keepFull ? Subscribers.Demand.max(kept.limit) : .unlimited
        if prefetched > .none { subscription.request(prefetched) }
        submit(.start)
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        guard isActive else { return .none }
        if serialiser.enter() {
            accept(input)
            serialiser.leave { handle($0) }
        } else if serialiser.enqueue(.value(input)) {
            serialiser.drain { handle($0) }
        }
        return owed.take()
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        if finish() { submit(.completion(completion)) }
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        self.demand.add(demand)
        submit(.demand)
    }

    @usableFromInline
    override func cancel() {
        // Nobody but the source has this object before it has sent its subscription.
        guard phase.load(ordering: .relaxed) != .awaiting, !demand.cancel().isCancelled else { return }
        cancelUpstream()
        submit(.cancellation)
    }

    @usableFromInline override var dropsUnrequestedValues: Bool {
        prefetch == .byRequest || super.dropsUnrequestedValues
    }

    @usableFromInline
    override func loseNothing() {
        losesNothing.store(true, ordering: .relaxed)
        super.loseNothing()
    }

    @usableFromInline override var customMirror: Mirror {
        var children: [Mirror.Child] = []
        if serialiser.enter() {
            let reading = demand.reading
            let outstanding = reading.isUnlimited ? Subscribers.Demand.unlimited : .max(Int(reading.count))
            children = [
                ("values", kept.values.elements), ("state", phase.load(ordering: .relaxed)),
                ("downstreamDemand", outstanding), ("terminal", ending as Any),
            ]
            serialiser.leave { handle($0) }
        }
        return Mirror(self, children: children)
    }

    private func submit(_ event: Event) {
        serialiser.submit(event) { handle($0) }
        let more = owed.take()
        if more > .none { super.request(more) }
    }
}

/// What only the owner of the serialiser does.
extension BufferLink {
    @inlinable
    func accept(_ value: Downstream.Input) {
        guard isStarted, kept.isEmpty, ending == nil, kept.limit > 0, let downstream, demand.takeOne() else {
            keep(value)
            return
        }
        deliver(value, to: downstream)
        replace()
    }

    @inlinable
    func deliver(_ value: Downstream.Input, to downstream: Downstream) {
        let additional = downstream.receive(value)
        if additional > .none { demand.add(additional) }
    }

    /// Notes that another value may come in place of one that was delivered.
    @inlinable
    func replace() {
        if prefetch == .keepFull { owed.add(.max(1)) }
    }

    @usableFromInline
    func keep(_ value: Downstream.Input) {
        guard downstream != nil, ending == nil else { return }
        switch kept.append(value, isUnlimited: losesNothing.load(ordering: .relaxed)) {
        case .kept: deliverKept()
        case .dropped: break
        case .fatal(let makeError): if cancelUpstream() { ending = .failure(makeError()) }
        }
    }

    /// Delivers what is kept as far as there is demand, and the completion when it is its turn.
    private func deliverKept() {
        guard isStarted else { return }
        while let downstream, !kept.isEmpty, demand.takeOne() {
            guard let value = kept.popFirst() else { break }
            deliver(value, to: downstream)
            if kept.values.count < kept.limit { replace() }
        }
        switch ending {
        case .failure? where !losesNothing.load(ordering: .relaxed): release(delivering: ending)
        case .failure?, .finished?: if kept.isEmpty { release(delivering: ending) }
        case nil: break
        }
    }

    @usableFromInline
    func handle(_ event: Event) {
        switch event {
        case .start:
            downstream?.receive(subscription: self)
            isStarted = true
            deliverKept()
        case .value(let value):
            accept(value)
        case .completion(let completion):
            if ending == nil { ending = completion }
            deliverKept()
        case .demand:
            deliverKept()
        case .cancellation:
            release(delivering: nil)
        }
    }

    /// Lets go of everything, and delivers the completion, if there is one and nobody has cancelled.
    private func release(delivering completion: Subscribers.Completion<Downstream.Failure>?) {
        kept.close()
        let finished = downstream.take()
        if let completion, !demand.cancel().isCancelled { finished?.receive(completion: completion) }
    }
}
