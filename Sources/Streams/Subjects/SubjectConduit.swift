/// The subscription of a subject's subscriber, whatever the types involved.
///
/// It lets go of the subject and the subscriber when the stream is over: keeping it longer keeps neither alive.
///
/// What is not behind the lock belongs to the owner of the subject's signals.
@usableFromInline
class AnySubjectConduit: SlotListMember, NamedSubscription, BackpressureTraits {
    @usableFromInline
    struct State {
        @usableFromInline var core: AnySubjectCore?
        /// What comes while the subscriber is held back, an `EarlyDelivery`.
        @usableFromInline var early: AnyObject?

        @inlinable
        init(core: AnySubjectCore? = nil) {
            self.core = core
        }
    }

    /// Held back until the subscriber has received this subscription.
    @usableFromInline final let demand = AtomicDemand(isHeld: true)
    @usableFromInline final let state: Locked<State>
    @usableFromInline final let name: String

    /// Whether the subject completed while the subscriber was held back.
    @exclusivity(unchecked) @usableFromInline final var isCompletionHeld = false
    @exclusivity(unchecked) @usableFromInline final var position: Int32 = -1

    /// A version that matters for the subscriber, see below. Conduits are many, so they are kept small: the highest one
    /// stands for none.
    @exclusivity(unchecked) @usableFromInline final var version = UInt64.max

    @inlinable
    init(_ name: String, core: AnySubjectCore) {
        self.name = name
        state = Locked(State(core: core))
    }

    /// The version of the last value that has passed the subscriber by, for want of demand. It stays when a value
    /// follows that is delivered without counting.
    @inlinable final var missedVersion: UInt64? {
        get { version == .max ? nil : version }
        set { version = newValue ?? .max }
    }

    /// The version of the value that comes next for the subscriber, where the subject keeps more than one.
    @inlinable final var nextVersion: UInt64 {
        get { version }
        set { version = newValue }
    }

    /// There is no memory for more conduits than have room here.
    @inlinable final var place: Int {
        get { Int(position) }
        set { position = Int32(newValue) }
    }

    @usableFromInline
    final func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let before = self.demand.add(demand)
        guard before.isIdle, let core = state.withLock({ $0.core }) else { return }
        core.control(core, self, .demand(isHeld: before.isHeld))
    }

    @usableFromInline
    final func cancel() {
        guard !demand.cancel().isCancelled, let core = close().core else { return }
        core.control(core, self, .detach)
    }

    /// Marks the stream as over, because the subject has completed.
    ///
    /// - Returns: Whether the completion is to be delivered, because the subscriber has not cancelled.
    @usableFromInline
    final func expire() -> Bool {
        let wasCancelled = demand.cancel().isCancelled
        _ = close()
        return !wasCancelled
    }

    private func close() -> State {
        state.withLock { exchange(&$0, with: State()) }
    }

    /// Only the newest value is kept for a subscriber without demand, or none at all.
    @usableFromInline final var dropsUnrequestedValues: Bool { true }

    /// The subscriber while the stream goes on, to be shown.
    @usableFromInline var subscriber: Any? { preconditionFailure("overridden") }

    @usableFromInline final var description: String { name }
}

/// A subject's core, whatever the types involved.
///
/// The closure is specialised where the core is made, as a method that is called dynamically would not be.
@usableFromInline
class AnySubjectCore {
    @usableFromInline
    enum Control {
        /// A subscriber without demand has asked for values.
        case demand(isHeld: Bool)
        /// A subscriber has cancelled.
        case detach
    }

    @usableFromInline final let control: (AnySubjectCore, AnySubjectConduit, Control) -> Void

    @inlinable
    init(_ control: @escaping (AnySubjectCore, AnySubjectConduit, Control) -> Void) {
        self.control = control
    }
}

/// What a subject delivers to one subscriber through: the subscription and the subscriber in one.
///
/// It belongs to the owner of the subject's signals, except that as long as the subscriber is held back it is left
/// to the thread that is subscribing. The closures are specialised where the conduit is made, as methods called
/// dynamically would not be.
@usableFromInline
class SubjectConduit<Output, Failure: Error>: AnySubjectConduit {
    @usableFromInline final let onValue: (SubjectConduit, Output) -> Subscribers.Demand

    /// Lets go of the subscriber, after delivering the completion, if there is one.
    @usableFromInline final let onEnd: (SubjectConduit, Subscribers.Completion<Failure>?) -> Void

    @inlinable
    init(
        _ name: String,
        core: AnySubjectCore,
        onValue: @escaping (SubjectConduit, Output) -> Subscribers.Demand,
        onEnd: @escaping (SubjectConduit, Subscribers.Completion<Failure>?) -> Void
    ) {
        self.onValue = onValue
        self.onEnd = onEnd
        super.init(name, core: core)
    }

    /// Delivers a value if there is demand for it, or keeps it as long as the subscriber is held back.
    @inlinable
    final func offer(_ value: Output, version: UInt64) {
        if demand.reading == .flowing {
            _ = onValue(self, value)
        } else {
            offerCounted(value, version: version)
        }
    }

    /// The same where demand has to be looked at. Apart, so that it does not burden those who send to subscribers
    /// without limit.
    @inlinable
    @inline(never)
    final func offerCounted(_ value: Output, version: UInt64) {
        let reading = demand.reading
        if reading.isCancelled { return }
        if reading.isHeld {
            if reading.hasDemand {
                let early = SubjectValue(value: value, version: version)
                state.withLock { $0.makeEarlyDelivery(of: Output.self).values.append(early) }
            } else {
                missedVersion = version
            }
        } else if !deliverCounted(value) {
            missedVersion = version
        }
    }

    /// Delivers a value if there is demand for it.
    ///
    /// - Returns: Whether there was.
    @inlinable
    final func deliverCounted(_ value: Output) -> Bool {
        guard demand.takeOne() else { return false }
        missedVersion = nil
        let additional = onValue(self, value)
        if additional > .none { demand.add(additional) }
        return true
    }

    /// Keeps the value that was current as the subscriber asked, as long as it is held back.
    ///
    /// - Returns: Whether it is.
    @inlinable
    final func setInitial(_ value: SubjectValue<Output>) -> Bool {
        let (isHeld, previous) = state.withLock { state -> (Bool, SubjectValue<Output>?) in
            guard demand.reading.isHeld else { return (false, nil) }
            return (true, exchange(&state.makeEarlyDelivery(of: Output.self).initial, with: value))
        }
        withExtendedLifetime(previous) {}
        return isHeld
    }

    /// Delivers the value that is to come first, on the subscribing thread, which alone touches the subscriber then.
    @inlinable
    final func deliverInitial() {
        let initial = state.withLock { $0.earlyDelivery(of: Output.self)?.takeInitial() }
        guard let initial, demand.takeOne() else { return }
        let additional = onValue(self, initial.value)
        if additional > .none { demand.add(additional) }
    }

    /// Ends holding the subscriber back, and delivers what came early.
    ///
    /// - Parameter handledVersion: The version of the last value whose turn has come.
    @inlinable
    final func start(after handledVersion: UInt64) {
        if demand.release().isCancelled { return onEnd(self, nil) }
        guard let early = takeEarlyDelivery() else { return }
        let missed = missedVersion
        var delivered = early.deliveredVersion
        // Asked for when the subscribing thread had looked already. What is still to have its turn comes then.
        if let initial = early.initial, initial.version <= handledVersion, initial.isNewer(than: delivered),
            deliverCounted(initial.value)
        {
            delivered = initial.version
        }
        missedVersion = nil
        for value in early.values where value.isNewer(than: delivered) {
            offerCounted(value.value, version: value.version)
        }
        if let missed, missed > max(delivered ?? 0, early.values.last?.version ?? 0) { missedVersion = missed }
    }

    @inlinable
    final func takeEarlyDelivery() -> EarlyDelivery<Output>? {
        state.withLock { state in
            let early = state.earlyDelivery(of: Output.self)
            state.early = nil
            return early
        }
    }

    /// Delivers the completion, or keeps it as long as the subscriber is held back.
    @inlinable
    final func finish(_ completion: Subscribers.Completion<Failure>) {
        if demand.reading.isHeld {
            isCompletionHeld = true
        } else if expire() {
            onEnd(self, completion)
        }
    }

    /// Lets go of the subscriber, who has cancelled. While it is held back, that is left to the start.
    @inlinable
    final func leave() {
        if !demand.reading.isHeld { onEnd(self, nil) }
    }
}

/// The conduit to one kind of subscriber.
@usableFromInline
final class SubjectConduitTo<Downstream: Subscriber>: SubjectConduit<Downstream.Input, Downstream.Failure> {
    /// Taken out under the lock, where it is shown.
    @exclusivity(unchecked) @usableFromInline var recipient: Recipient<Downstream>

    @inlinable
    init(_ name: String, core: AnySubjectCore, to downstream: Downstream) {
        recipient = .open(downstream)
        super.init(
            name,
            core: core,
            onValue: { unsafeDowncast($0, to: SubjectConduitTo<Downstream>.self).recipient.receive($1) },
            onEnd: { unsafeDowncast($0, to: SubjectConduitTo<Downstream>.self).end($1) })
    }

    @inlinable
    func end(_ completion: Subscribers.Completion<Downstream.Failure>?) {
        let downstream = state.withLock { _ in recipient.close() }
        if let completion { downstream?.receive(completion: completion) }
    }

    @usableFromInline override var subscriber: Any? { state.withLock { _ in recipient.downstream } }
}

/// A subscriber, until it is let go of.
///
/// What can be copied may be copied out of a variable before it is used, which counts references to all that it
/// consists of. This cannot be, so a value goes through it without.
@usableFromInline
enum Recipient<Downstream: Subscriber>: ~Copyable {
    case open(Downstream)
    case closed

    @inlinable
    borrowing func receive(_ value: Downstream.Input) -> Subscribers.Demand {
        switch self {
        case .open(let downstream): downstream.receive(value)
        case .closed: .none
        }
    }

    /// The subscriber, to be shown.
    @usableFromInline var downstream: Downstream? {
        switch self {
        case .open(let downstream): downstream
        case .closed: nil
        }
    }

    /// Takes the subscriber out.
    @inlinable
    mutating func close() -> Downstream? {
        switch exchange(&self, with: .closed) {
        case .open(let downstream): downstream
        case .closed: nil
        }
    }
}

/// What comes for a subscriber while it is held back, because it has not received its subscription yet.
///
/// It is behind the conduit's lock, and gone as soon as the subscriber is held back no more.
@usableFromInline
final class EarlyDelivery<Output> {
    /// The value that was current as the subscriber asked.
    @exclusivity(unchecked) @usableFromInline var initial: SubjectValue<Output>?

    /// The version of the one that the subscribing thread delivers.
    @exclusivity(unchecked) @usableFromInline var deliveredVersion: UInt64?

    /// The values that came.
    @exclusivity(unchecked) @usableFromInline var values: [SubjectValue<Output>] = []

    @inlinable
    init() {}

    /// Takes the value out that was current as the subscriber asked, to be delivered.
    @inlinable
    func takeInitial() -> SubjectValue<Output>? {
        guard let taken = initial.take() else { return nil }
        deliveredVersion = taken.version
        return taken
    }
}

extension AnySubjectConduit.State {
    @inlinable
    func earlyDelivery<Output>(of type: Output.Type) -> EarlyDelivery<Output>? {
        early.map { unsafeDowncast($0, to: EarlyDelivery<Output>.self) }
    }

    /// The same, made if there is none.
    @inlinable
    mutating func makeEarlyDelivery<Output>(of type: Output.Type) -> EarlyDelivery<Output> {
        if let early = earlyDelivery(of: type) { return early }
        let early = EarlyDelivery<Output>()
        self.early = early
        return early
    }
}
