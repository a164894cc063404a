import Synchronization

/// An `DemandBuffer`, whoever the subscriber is.
@usableFromInline
class AnyDemandBuffer<Input, Failure: Error>: NamedSubscription {
    /// The link to what sends the values.
    @usableFromInline final let link = UpstreamLink()
    private final let name: String
    @usableFromInline final let demand = AtomicDemand()

    @usableFromInline
    init(_ name: String) {
        self.name = name
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
        link.cancel()
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        preconditionFailure("overridden")
    }

    @usableFromInline
    func cancel() {
        preconditionFailure("overridden")
    }

    @usableFromInline var description: String { name }
}

// Safe because signals go through a signals, and everything else is atomic. Values can be sent from any thread only where
// they are Sendable, which is up to what holds this.
extension AnyDemandBuffer: @unchecked Sendable {}

/// The subscription of streams whose values come when they come, from any thread: they are delivered one after the other, in the
/// order in which they came, as far as there is demand, and kept until then.
///
/// The link leads to whatever sends the values. Cancellation reaches it at once, on the calling thread; the downstream and what is
/// kept are let go of by the owner of the signals, who alone touches them.
///
/// It keeps what it was told to keep, so to `values` it is a source that waits for demand.
@usableFromInline
// Safe because what changes belongs to the owner of the signals, or is atomic.
final class DemandBuffer<Downstream: Subscriber>: AnyDemandBuffer<Downstream.Input, Downstream.Failure>,
    @unchecked Sendable
{
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

    @usableFromInline let signals = SerialDrain<Event>()

    /// Whether a request has to be followed by delivery. Set before the demand word is found to be empty, and read after demand
    /// was added to it, so one of the two sides sees the other.
    @usableFromInline let hasBufferedValues = Atomic<Bool>(false)

    /// These belong to the owner of the signals.
    @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
    @exclusivity(unchecked) @usableFromInline var kept: BoundedBuffer<Downstream.Input, Downstream.Failure>
    @exclusivity(unchecked) @usableFromInline var ending: Subscribers.Completion<Downstream.Failure>?

    /// - Parameters:
    ///   - limit: How many values are kept at most.
    ///   - whenFull: What becomes of a value for which there is neither demand nor room.
    ///   - passesDemand: Whether the source is asked for what the subscriber asks for.
    @inlinable
    init(
        _ name: String, downstream: Downstream, limit: Int = .max,
        whenFull: Publishers.BufferingStrategy<Downstream.Failure> = .dropNewest, passesDemand: Bool = false
    ) {
        self.downstream = downstream
        kept = BoundedBuffer(limit: limit, whenFull: whenFull)
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
        signals.submit(event) { handle($0) }
    }

    @usableFromInline
    override func request(_ additional: Subscribers.Demand) {
        guard additional > .none else { return }
        add(additional)
        if hasBufferedValues.load(ordering: .acquiring) { submit(.demand) }
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

/// What only the owner of the signals does.
extension DemandBuffer {
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
            hasBufferedValues.store(true, ordering: .relaxed)
            deliverKept()
        case .dropped:
            break
        case .fatal(let makeError):
            link.cancel()
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
            hasBufferedValues.store(false, ordering: .relaxed)
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

/// Values that wait for demand, the oldest first, and what becomes of one for which there is no room.
@usableFromInline
struct BoundedBuffer<Value, Failure: Error> {
    /// What has become of a value.
    @usableFromInline
    enum Overflow {
        case kept
        case dropped
        /// It is dropped, and the stream is to end with the error that this makes.
        case fatal(@Sendable () -> Failure)
    }

    /// How many there are at most.
    @usableFromInline let limit: Int
    @usableFromInline var whenFull: Publishers.BufferingStrategy<Failure>
    @usableFromInline var values = RingBuffer<Value>()

    @inlinable
    init(limit: Int, whenFull: Publishers.BufferingStrategy<Failure>) {
        self.limit = limit
        self.whenFull = whenFull
    }

    @inlinable var isEmpty: Bool { values.isEmpty }

    @inlinable
    mutating func popFirst() -> Value? {
        values.popFirst()
    }

    /// Keeps a value if there is room, or else does what the strategy says.
    ///
    /// - Parameter isUnlimited: Whether there is always room.
    @usableFromInline
    mutating func append(_ value: Value, isUnlimited: Bool = false) -> Overflow {
        if values.count >= limit, !isUnlimited {
            switch whenFull {
            case .dropNewest: return .dropped
            case .dropOldest: if values.popFirst() == nil { return .dropped }
            case .customError(let makeError): return .fatal(makeError)
            }
        }
        values.append(value)
        return .kept
    }

    /// Lets go of the values and of the strategy's closure. What comes after that is dropped.
    @usableFromInline
    mutating func close() {
        values = RingBuffer()
        whenFull = .dropNewest
    }
}
