/// What a subject delivers to one subscriber through, whatever the types involved. It holds the subscriber.
///
/// Everything but the ticket belongs to the owner of the subject's serialiser, except that a conduit that is held back leaves
/// the subscriber to the thread that is subscribing.
@usableFromInline
class AnySubjectConduit: OrderedMember {
    @usableFromInline final let ticket: SubjectTicket

    // Conduits are many, so they are kept small: the highest version stands for none.
    @exclusivity(unchecked) @usableFromInline final var missed: UInt64
    @exclusivity(unchecked) @usableFromInline final var initial = UInt64.max

    /// The version of the value that comes next for the subscriber, where the subject keeps more than one.
    @exclusivity(unchecked) @usableFromInline final var nextVersion: UInt64 = 0

    @exclusivity(unchecked) @usableFromInline final var position: Int32 = -1

    /// Whether the subject completed while the subscriber was held back.
    @exclusivity(unchecked) @usableFromInline final var isCompletionHeld = false

    /// The version of the newest value if that has passed the subscriber by, for want of demand.
    @inlinable final var missedVersion: UInt64? {
        get { missed == .max ? nil : missed }
        set { missed = newValue ?? .max }
    }

    /// The version of the value that was delivered while the subscriber was held back.
    @inlinable final var initialVersion: UInt64? {
        get { initial == .max ? nil : initial }
        set { initial = newValue ?? .max }
    }

    /// There is no memory for more conduits than have room here.
    @inlinable final var place: Int {
        get { Int(position) }
        set { position = Int32(newValue) }
    }

    @inlinable
    init(ticket: SubjectTicket, missedVersion: UInt64?) {
        self.ticket = ticket
        missed = missedVersion ?? .max
    }

    /// The subscriber, to be shown.
    @usableFromInline var subscriber: Any { preconditionFailure("overridden") }
}

/// See above. The closures are specialised where the conduit is made, as methods called dynamically would not be.
@usableFromInline
class SubjectConduit<Output, Failure: Error>: AnySubjectConduit {
    @usableFromInline final let onValue: (SubjectConduit, Output) -> Subscribers.Demand
    @usableFromInline final let onCompletion: (SubjectConduit, Subscribers.Completion<Failure>) -> Void

    /// What arrived while the subscriber was held back.
    @exclusivity(unchecked) @usableFromInline final var held: [SubjectValue<Output>] = []

    @inlinable
    init(
        ticket: SubjectTicket,
        missedVersion: UInt64?,
        onValue: @escaping (SubjectConduit, Output) -> Subscribers.Demand,
        onCompletion: @escaping (SubjectConduit, Subscribers.Completion<Failure>) -> Void
    ) {
        self.onValue = onValue
        self.onCompletion = onCompletion
        super.init(ticket: ticket, missedVersion: missedVersion)
    }

    /// Delivers a value if there is demand for it, or holds it as long as the subscriber is held back.
    @inlinable
    final func offer(_ value: Output, version: UInt64) {
        if ticket.demand.reading == .flowing {
            _ = onValue(self, value)
        } else {
            offerCounted(value, version: version)
        }
    }

    @inlinable
    final func offerCounted(_ value: Output, version: UInt64) {
        let reading = ticket.demand.reading
        if reading.isCancelled { return }
        if reading.isHeld {
            if reading.hasDemand {
                held.append(SubjectValue(value: value, version: version))
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
        guard ticket.demand.takeOne() else { return false }
        missedVersion = nil
        let additional = onValue(self, value)
        if additional > .none { ticket.demand.add(additional) }
        return true
    }

    /// Ends holding the subscriber back, and delivers what was held.
    @inlinable
    final func start() {
        let isCancelled = ticket.demand.release().isCancelled
        let held = self.held
        self.held = []
        if isCancelled { return }
        if let initialVersion, let missed = missedVersion, missed <= initialVersion { missedVersion = nil }
        for value in held where initialVersion.map({ value.version > $0 }) ?? true {
            offerCounted(value.value, version: value.version)
        }
    }

    /// Delivers the completion, or holds it as long as the subscriber is held back.
    @inlinable
    final func finish(_ completion: Subscribers.Completion<Failure>) {
        if ticket.demand.reading.isHeld {
            isCompletionHeld = true
        } else if ticket.expire() {
            onCompletion(self, completion)
        }
    }
}

/// The conduit to one kind of subscriber.
@usableFromInline
final class SubjectConduitTo<Downstream: Subscriber>: SubjectConduit<Downstream.Input, Downstream.Failure> {
    @usableFromInline let downstream: Downstream

    @inlinable
    init(_ downstream: Downstream, ticket: SubjectTicket, missedVersion: UInt64?) {
        self.downstream = downstream
        super.init(
            ticket: ticket,
            missedVersion: missedVersion,
            onValue: { unsafeDowncast($0, to: SubjectConduitTo<Downstream>.self).downstream.receive($1) },
            onCompletion: { conduit, completion in
                unsafeDowncast(conduit, to: SubjectConduitTo<Downstream>.self).downstream.receive(
                    completion: completion)
            })
    }

    @usableFromInline override var subscriber: Any { downstream }
}
