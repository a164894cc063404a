/// The subscription of a subject's subscriber, whatever the types involved.
///
/// It lets go of the subject and the subscriber when the stream is over: keeping it longer keeps neither alive.
///
/// What is not behind the lock belongs to the owner of the subject's serialiser.
@usableFromInline
class AnySubjectConduit: OrderedMember, Subscription, UnrequestedValuePolicy, CustomStringConvertible,
    CustomReflectable, CustomPlaygroundDisplayConvertible
{
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
    @usableFromInline final let demand = DemandWord(isHeld: true)
    @usableFromInline final let state: Locked<State>
    @usableFromInline final let name: OperatorName

    /// Whether the subject completed while the subscriber was held back.
    @exclusivity(unchecked) @usableFromInline final var isCompletionHeld = false
    @exclusivity(unchecked) @usableFromInline final var position: Int32 = -1

    /// A version that matters for the subscriber, see below. Conduits are many, so they are kept small: the highest one
    /// stands for none.
    @exclusivity(unchecked) @usableFromInline final var version = UInt64.max

    @inlinable
    init(_ name: OperatorName, core: AnySubjectCore) {
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
        precondition(demand > .none, "a source must be asked for at least one value")
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

    @usableFromInline final var description: String { name.description }
    @usableFromInline final var playgroundDescription: Any { description }

    @usableFromInline final var customMirror: Mirror {
        let core = state.withLock { $0.core }
        let reading = demand.reading
        let demand = reading.isUnlimited ? Subscribers.Demand.unlimited : .max(Int(reading.count))
        let subject = core.map { _ in name }
        return Mirror(
            self,
            children: [
                "parent": subject as Any, "downstream": subscriber as Any, "demand": demand,
                "subject": subject as Any,
            ])
    }
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
