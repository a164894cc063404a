/// What a subject delivers to one subscriber through: the subscription and the subscriber in one.
///
/// It belongs to the owner of the subject's serialiser, except that as long as the subscriber is held back it is left to the
/// thread that is subscribing. The closures are specialised where the conduit is made, as methods called dynamically would not be.
@usableFromInline
class SubjectConduit<Output, Failure: Error>: AnySubjectConduit {
    @usableFromInline final let onValue: (SubjectConduit, Output) -> Subscribers.Demand

    /// Lets go of the subscriber, after delivering the completion, if there is one.
    @usableFromInline final let onEnd: (SubjectConduit, Subscribers.Completion<Failure>?) -> Void

    @inlinable
    init(
        _ name: OperatorName,
        core: AnySubjectCore,
        missedVersion: UInt64?,
        onValue: @escaping (SubjectConduit, Output) -> Subscribers.Demand,
        onEnd: @escaping (SubjectConduit, Subscribers.Completion<Failure>?) -> Void
    ) {
        self.onValue = onValue
        self.onEnd = onEnd
        super.init(name, core: core, missedVersion: missedVersion)
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

    /// The same where demand has to be looked at. Apart, so that it does not burden those who send to subscribers without limit.
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

    /// Sets what is to be delivered first, unless that has been set before.
    @inlinable
    final func setInitial(_ value: SubjectValue<Output>) {
        state.withLock { state in
            // Afterwards it gets the newest value like everybody else.
            guard demand.reading.isHeld else { return }
            let early = state.makeEarlyDelivery(of: Output.self)
            if early.initial == nil { early.initial = value }
        }
    }

    /// Delivers the value that is to come first, on the subscribing thread, which alone touches the subscriber then.
    @inlinable
    final func deliverInitial() {
        let initial = state.withLock { $0.earlyDelivery(of: Output.self)?.initial }
        guard let initial, demand.takeOne() else { return }
        state.withLock { $0.earlyDelivery(of: Output.self)?.deliveredVersion = initial.version }
        let additional = onValue(self, initial.value)
        if additional > .none { demand.add(additional) }
    }

    /// Ends holding the subscriber back, and delivers what came early.
    @inlinable
    final func start() {
        if demand.release().isCancelled { return onEnd(self, nil) }
        guard let early = takeEarlyDelivery() else { return }
        let delivered = early.deliveredVersion
        if let delivered, let missed = missedVersion, missed <= delivered { missedVersion = nil }
        for value in early.values where delivered.map({ value.version > $0 }) ?? true {
            offerCounted(value.value, version: value.version)
        }
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
    init(_ name: OperatorName, core: AnySubjectCore, to downstream: Downstream, missedVersion: UInt64?) {
        recipient = .open(downstream)
        super.init(
            name,
            core: core,
            missedVersion: missedVersion,
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
/// What can be copied may be copied out of a variable before it is used, which counts references to all that it consists of. This
/// cannot be, so a value goes through it without.
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
