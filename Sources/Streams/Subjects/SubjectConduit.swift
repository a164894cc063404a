/// What a subject delivers to one subscriber through: the subscription and the subscriber in one.
///
/// It belongs to the owner of the subject's serialiser, except that as long as the subscriber is held back it is left
/// to the thread that is subscribing. The closures are specialised where the conduit is made, as methods called
/// dynamically would not be.
@usableFromInline
class SubjectConduit<Output, Failure: Error>: AnySubjectConduit {
    @usableFromInline final let onValue: (SubjectConduit, Output) -> Subscribers.Demand

    /// Lets go of the subscriber, after delivering the completion, if there is one.
    @usableFromInline final let onEnd: (SubjectConduit, Subscribers.Completion<Failure>?) -> Void

    @inlinable
    init(
        _ name: OperatorName,
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
    init(_ name: OperatorName, core: AnySubjectCore, to downstream: Downstream) {
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
