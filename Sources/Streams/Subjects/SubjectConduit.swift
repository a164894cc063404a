/// The connection between a subject and one subscriber. It is the subscription, and delivers the signals.
///
/// A subject's core holds a conduit for each subscriber. The demand may be changed by any thread. The subscriber and the
/// fields without a lock belong to the thread that drains the subject's signals, except that the subscriber is left to
/// the subscribing thread as long as the demand is withheld.
///
/// Programs keep many conduits, so they are small: one closure serves all signals, the fields are packed, and values
/// that arrive while the demand is withheld wait in the core's log.
@usableFromInline
class SubjectConduit<Output, Failure: Error>: SlotListMember, NamedSubscription {
    /// A signal to the subscriber. The pointers let it fit into registers, whatever the types are.
    @usableFromInline
    enum Signal {
        case value(UnsafePointer<Output>)
        case completion(UnsafePointer<Subscribers.Completion<Failure>>)
        /// Releases the subscriber, which has cancelled.
        case release
        /// Releases the subscriber, as the subject was released. It may hold another subject, and so on.
        case abandon
    }

    /// Held until the subscriber has received this subscription.
    @usableFromInline final let demand = AtomicDemand(isWithheld: true)

    @usableFromInline final let lock = Locked(())

    /// Whether values that are sent while the demand is withheld are for this subscriber, which had requested some before.
    @exclusivity(unchecked) @usableFromInline final var hasRequested = false

    /// 32 bits suffice: more conduits do not fit into memory, and a subject keeps no more values.
    @exclusivity(unchecked) @usableFromInline final var packedPlace: Int32 = -1
    @exclusivity(unchecked) @usableFromInline final var packedUnreadCount: UInt32 = 0

    /// The subject's core. Guarded by the lock, and nil after the end, so that a subscription that is kept does not keep
    /// the subject alive. Its type is erased, because the lock is slow for types that the compiler does not know.
    @exclusivity(unchecked) @usableFromInline final var core: AnyObject?

    /// Delivers a signal to the subscriber. A closure is specialised where it is created, a dynamic method is not.
    @usableFromInline final let onSignal: (SubjectConduit, Signal) -> Subscribers.Demand

    @inlinable
    init(core: SubjectCore<Output, Failure>, onSignal: @escaping (SubjectConduit, Signal) -> Subscribers.Demand) {
        self.core = core
        self.onSignal = onSignal
    }

    @inlinable final var place: Int {
        get { Int(packedPlace) }
        set { packedPlace = Int32(newValue) }
    }

    /// The number of values at the end of the log that the subscriber has yet to receive.
    @inlinable final var unreadCount: Int {
        get { Int(packedUnreadCount) }
        set { packedUnreadCount = UInt32(clamping: newValue) }
    }

    @usableFromInline
    final func request(_ demand: Subscribers.Demand) {
        guard demand > .none, self.demand.add(demand).isIdle else { return }
        notify(lock.withLock { _ in core })
    }

    @usableFromInline
    final func cancel() {
        guard !demand.cancel().isCancelled else { return }
        notify(detach())
    }

    private func notify(_ core: AnyObject?) {
        guard let core else { return }
        let subject = unsafeDowncast(core, to: SubjectCore<Output, Failure>.self)
        subject.onChange(subject, self)
    }

    /// Ends the stream, because the subject has completed.
    ///
    /// - Returns: Whether the completion can be delivered, because the subscriber has not cancelled.
    @usableFromInline
    final func complete() -> Bool {
        let wasCancelled = demand.cancel().isCancelled
        _ = detach()
        return !wasCancelled
    }

    private func detach() -> AnyObject? {
        lock.withLock { _ in core.take() }
    }

    /// Delivers a value that demand was taken for.
    @inlinable
    final func deliver(_ value: Output) {
        let additional = withUnsafePointer(to: value) { onSignal(self, .value($0)) }
        if additional > .none { demand.add(additional) }
    }

    /// At most the newest values are kept for a subscriber without demand.
    @usableFromInline final var dropsUnrequestedValues: Bool { true }

    @usableFromInline final var description: String {
        guard let core = lock.withLock({ _ in core }) else { return "Subject" }
        return unsafeDowncast(core, to: SubjectCore<Output, Failure>.self).name
    }
}

/// The conduit to a subscriber of one type.
@usableFromInline
final class SubscriberConduit<Downstream: Subscriber>: SubjectConduit<Downstream.Input, Downstream.Failure> {
    /// Belongs to the draining thread, or to the subscribing thread while the demand is withheld.
    @exclusivity(unchecked) @usableFromInline var recipient: Recipient<Downstream>

    @inlinable
    init(core: SubjectCore<Downstream.Input, Downstream.Failure>, to downstream: consuming Downstream) {
        recipient = .open(downstream)
        super.init(core: core) { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: SubscriberConduit<Downstream>.self)
            if case .value(let value) = signal { return conduit.recipient.receive(value.pointee) }
            conduit.end(signal)
            return .none
        }
    }

    /// Releases the subscriber, and delivers the completion if there is one. Not inlined, to keep values fast.
    @inlinable
    @inline(never)
    func end(_ signal: Signal) {
        var downstream = recipient.release()
        if case .completion(let completion) = signal { downstream?.receive(completion: completion.pointee) }
        if case .abandon = signal { withUnsafeMutablePointer(to: &downstream) { IterativeRelease.release($0) } }
    }
}
