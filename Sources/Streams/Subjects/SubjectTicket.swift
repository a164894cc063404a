/// The subscription of a subject's subscriber, whatever the types involved.
///
/// It lets go of the subject and the subscriber when the stream is over: keeping it longer keeps neither alive.
@usableFromInline
final class SubjectTicket: Subscription, UnrequestedValuePolicy, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
{
    struct State {
        var core: AnySubjectCore?
        var conduit: AnySubjectConduit?
        /// The current value at the time of the first request, if that came while the subscriber was held back.
        var initial: AnyObject?
    }

    /// Held back until the subscriber has received this subscription.
    @usableFromInline let demand = DemandWord(isHeld: true)

    private let name: StaticString
    private let state = Locked(State())

    @usableFromInline
    init(_ name: StaticString) {
        self.name = name
    }

    @usableFromInline
    func open(core: AnySubjectCore, conduit: AnySubjectConduit) {
        state.withLock { state in
            state.core = core
            state.conduit = conduit
        }
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        precondition(demand > .none, "a source must be asked for at least one value")
        let before = self.demand.add(demand)
        guard before.isIdle else { return }
        let state = state.withLock { $0 }
        if let core = state.core, let conduit = state.conduit {
            core.control(core, conduit, .demand(isHeld: before.isHeld))
        }
    }

    @usableFromInline
    func cancel() {
        guard !demand.cancel().isCancelled else { return }
        let state = close()
        if let core = state.core, let conduit = state.conduit { core.control(core, conduit, .detach) }
    }

    /// Marks the stream as over, because the subject has completed.
    ///
    /// - Returns: Whether the completion is to be delivered, because the subscriber has not cancelled.
    @usableFromInline
    func expire() -> Bool {
        let wasCancelled = demand.cancel().isCancelled
        _ = close()
        return !wasCancelled
    }

    @usableFromInline
    func setInitial(_ value: AnyObject) {
        // A later request does not replace what is to be delivered first.
        state.withLock { state in
            if state.initial == nil { state.initial = value }
        }
    }

    @usableFromInline
    func takeInitial() -> AnyObject? {
        state.withLock { $0.initial.take() }
    }

    /// Only the newest value is kept for a subscriber without demand, or none at all.
    @usableFromInline var dropsUnrequestedValues: Bool { true }

    private func close() -> State {
        state.withLock { exchange(&$0, with: State()) }
    }

    @usableFromInline var description: String { name.description }
    @usableFromInline var playgroundDescription: Any { description }

    @usableFromInline var customMirror: Mirror {
        let state = state.withLock { $0 }
        let reading = demand.reading
        let demand = reading.isUnlimited ? Subscribers.Demand.unlimited : .max(Int(reading.count))
        let subject = state.core.map { _ in name }
        return Mirror(
            self,
            children: [
                "parent": subject as Any, "downstream": state.conduit?.subscriber as Any, "demand": demand,
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
