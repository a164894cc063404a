import Synchronization

/// The subscription of streams whose values come when they come, from any thread: they are delivered one after the other, in the
/// order in which they came, as far as there is demand, and kept until then.
///
/// The link leads to whatever sends the values. Cancellation reaches it at once, on the calling thread; the downstream and what is
/// kept are let go of by the owner of the serialiser, who alone touches them.
///
/// It keeps what it was told to keep, so to `values` it is a source that waits for demand.
@usableFromInline
// Safe because what changes belongs to the owner of the serialiser, or is atomic.
final class Outlet<Downstream: Subscriber>: AnyOutlet<Downstream.Input, Downstream.Failure>, @unchecked Sendable {
    @usableFromInline
    enum Event {
        case start
        case value(Downstream.Input)
        case completion(Subscribers.Completion<Downstream.Failure>)
        case demand
        case cancellation
    }

    /// Whether the source is asked for what the subscriber asks for, or sends what it likes.
    @usableFromInline let passesDemand: Bool

    @usableFromInline let serialiser = Serialiser<Event>()

    /// Whether a request has to be followed by delivery. Set before the demand word is found to be empty, and read after demand
    /// was added to it, so one of the two sides sees the other.
    @usableFromInline let keepsValues = Atomic<Bool>(false)

    /// These belong to the owner of the serialiser.
    @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
    @exclusivity(unchecked) @usableFromInline var kept: KeptValues<Downstream.Input, Downstream.Failure>
    @exclusivity(unchecked) @usableFromInline var ending: Subscribers.Completion<Downstream.Failure>?

    /// - Parameters:
    ///   - limit: How many values are kept at most.
    ///   - whenFull: What becomes of a value for which there is neither demand nor room.
    ///   - passesDemand: Whether the source is asked for what the subscriber asks for.
    @inlinable
    init(
        _ name: OperatorName, downstream: Downstream, limit: Int = .max,
        whenFull: Publishers.BufferingStrategy<Downstream.Failure> = .dropNewest, passesDemand: Bool = false
    ) {
        self.downstream = downstream
        kept = KeptValues(limit: limit, whenFull: whenFull)
        self.passesDemand = passesDemand
        super.init(name)
    }

    @inlinable
    override func open() {
        submit(.start)
    }

    @inlinable
    override func send(_ value: Downstream.Input) {
        if !isOver { submit(.value(value)) }
    }

    @inlinable
    override func send(completion: Subscribers.Completion<Downstream.Failure>) {
        if !isOver { submit(.completion(completion)) }
    }

    @inlinable
    func submit(_ event: Event) {
        serialiser.submit(event) { handle($0) }
    }

    @usableFromInline
    override func request(_ additional: Subscribers.Demand) {
        precondition(additional > .none, "a source must be asked for at least one value")
        add(additional)
        if keepsValues.load(ordering: .acquiring) { submit(.demand) }
    }

    @usableFromInline
    override func cancel() {
        guard !demand.cancel().isCancelled else { return }
        link.cancel()
        submit(.cancellation)
    }

    @usableFromInline
    func add(_ additional: Subscribers.Demand) {
        demand.add(additional)
        if passesDemand { link.request(additional) }
    }
}

/// What only the owner of the serialiser does.
extension Outlet {
    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .value(let value): deliver(value)
        case .demand: deliverKept()
        case .start: downstream?.receive(subscription: self)
        case .completion(let completion): end(completion)
        case .cancellation: release(delivering: nil)
        }
    }

    @inlinable
    func deliver(_ value: Downstream.Input) {
        guard ending == nil, let downstream else { return }
        if kept.isEmpty, demand.reading == .flowing || demand.takeOne() {
            let additional = downstream.receive(value)
            if additional > .none { add(additional) }
        } else if !isOver {
            keep(value)
        }
    }

    @usableFromInline
    func keep(_ value: Downstream.Input) {
        switch kept.append(value) {
        case .kept:
            keepsValues.store(true, ordering: .relaxed)
            deliverKept()
        case .dropped:
            break
        case .fatal(let makeError):
            link.cancelUpstream()
            end(.failure(makeError()))
        }
    }

    @usableFromInline
    func deliverKept() {
        while let downstream, !kept.isEmpty, demand.takeOne() {
            guard let value = kept.popFirst() else { break }
            let additional = downstream.receive(value)
            if additional > .none { add(additional) }
        }
        if kept.isEmpty {
            keepsValues.store(false, ordering: .relaxed)
            if let ending { close(with: ending) }
        }
    }

    @usableFromInline
    func end(_ completion: Subscribers.Completion<Downstream.Failure>) {
        guard ending == nil else { return }
        ending = completion
        if kept.isEmpty { close(with: completion) }
    }

    @usableFromInline
    func close(with completion: Subscribers.Completion<Downstream.Failure>) {
        if !demand.cancel().isCancelled { release(delivering: completion) }
    }

    /// Lets go of everything, and delivers the completion, if there is one.
    @usableFromInline
    func release(delivering completion: Subscribers.Completion<Downstream.Failure>?) {
        kept.close()
        let finished = downstream.take()
        if let completion { finished?.receive(completion: completion) }
    }
}
