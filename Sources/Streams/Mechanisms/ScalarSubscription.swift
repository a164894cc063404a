import Synchronization

/// The subscription of sources and operators that deliver one value, or nothing, and complete: the value is known from
/// the start or comes later, and goes out as soon as both it and demand for it are there.
///
/// One atomic word tells who may touch what: the thread that sets `taken` first has the downstream for itself. This
/// part knows nothing of the types involved; what depends on them is a closure, specialised where the subscription is
/// made.
@usableFromInline
class OneShotControl: NamedSubscription {
    @usableFromInline
    enum Flag {
        @inlinable static var requested: UInt8 { 1 }
        @inlinable static var resolved: UInt8 { 2 }
        @inlinable static var taken: UInt8 { 4 }
        @inlinable static var cancelled: UInt8 { 8 }
        /// The subscriber has not received the subscription yet: only the thread that hands it over may deliver.
        @inlinable static var held: UInt8 { 16 }
    }

    @usableFromInline
    enum Turn {
        case deliver
        case release(isResolved: Bool)
    }

    @usableFromInline final let name: String
    @usableFromInline final let flags: Atomic<UInt8>
    @usableFromInline final let subscribing = ThreadIdentity.current
    @usableFromInline final let take: (OneShotControl, Turn) -> Void
    @usableFromInline final let storage: ErasedStorage

    @inlinable
    init(
        _ name: String, flags: UInt8, storage: consuming ErasedStorage,
        _ take: @escaping (OneShotControl, Turn) -> Void
    ) {
        self.name = name
        self.flags = Atomic(flags)
        self.storage = storage
        self.take = take
    }

    @inlinable final var isCancelled: Bool { flags.load(ordering: .acquiring) & Flag.cancelled != 0 }

    /// Whether the subscriber has asked.
    @usableFromInline final var isRequested: Bool { flags.load(ordering: .relaxed) & Flag.requested != 0 }

    /// Whether the outcome is being or has been delivered, or will never be.
    @usableFromInline final var isOver: Bool { flags.load(ordering: .relaxed) & Flag.taken != 0 }

    /// Sets a flag.
    ///
    /// - Returns: The flags before.
    @inlinable
    final func set(_ flag: UInt8) -> UInt8 {
        flags.bitwiseOr(flag, ordering: .acquiringAndReleasing).oldValue
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let before = set(Flag.requested)
        guard before & ~Flag.held == Flag.resolved else { return }
        if before & Flag.held == 0 || subscribing == .current { deliver() }
    }

    /// Gives the subscriber its subscription, and then the value if another thread has asked for it meanwhile. Called
    /// once, where this was made with a value that is known.
    @inlinable
    final func handOver(to subscriber: some Subscriber) {
        subscriber.receive(subscription: self)
        if flags.load(ordering: .relaxed) & Flag.taken != 0 { return }
        let before = flags.bitwiseAnd(~Flag.held, ordering: .acquiringAndReleasing).oldValue
        if before & Flag.requested != 0 { deliver() }
    }

    /// Delivers the outcome, if nobody else does and the subscription has not been cancelled.
    @usableFromInline
    final func deliver() {
        if set(Flag.taken) & Flag.taken == 0 { take(self, .deliver) }
    }

    @usableFromInline
    func cancel() {
        let before = set(Flag.taken | Flag.cancelled)
        if before & Flag.taken == 0 { take(self, .release(isResolved: before & Flag.resolved != 0)) }
    }

    @usableFromInline final var description: String { name }
}

/// The same where the value comes later.
@usableFromInline
class OneShotSubscription<Downstream: Subscriber>: OneShotControl {
    @usableFromInline
    enum Outcome {
        case value(Downstream.Input)

        /// There is no value. The stream finishes where the value would be delivered.
        case nothing
        case end(Subscribers.Completion<Downstream.Failure>)
    }

    @usableFromInline
    struct Parts {
        @usableFromInline var downstream: Downstream?
        @usableFromInline var outcome: Outcome?

        @inlinable
        init(downstream: Downstream) {
            self.downstream = downstream
        }
    }

    @inlinable final var parts: UnsafeMutablePointer<Parts> { storage.contents(as: Parts.self) }

    /// The creator hands this to the downstream, and calls `resolve(_:)` after that.
    ///
    /// - Parameters:
    ///   - name: Combine's name for the publisher.
    ///   - downstream: Let go of on delivery or cancellation.
    @inlinable
    init(_ name: String, downstream: Downstream) {
        super.init(
            name,
            flags: 0,
            storage: ErasedStorage(Parts(downstream: downstream))
        ) { control, turn in
            let subscription = unsafeDowncast(control, to: OneShotSubscription<Downstream>.self)
            switch turn {
            case .deliver:
                subscription.send()
            case .release(let isResolved):
                // An outcome that is being set right now is cleared by whoever sets it.
                if isResolved { subscription.parts.pointee.outcome = nil }
                subscription.parts.pointee.downstream = nil
            }
        }
    }

    /// Decides what is delivered. Called once at most, by the source.
    @inlinable
    final func resolve(_ outcome: Outcome) {
        parts.pointee.outcome = outcome
        let before = set(Flag.resolved)
        var isDue = before & Flag.requested != 0
        if case .end = outcome { isDue = true }
        if before & Flag.taken != 0 {
            parts.pointee.outcome = nil
        } else if isDue, set(Flag.taken) & Flag.taken == 0 {
            send()
        }
    }

    /// For the thread that has set `taken`.
    @inlinable
    final func send() {
        guard let downstream = parts.pointee.downstream.take(), let outcome = parts.pointee.outcome.take() else {
            return
        }
        switch outcome {
        case .value(let value):
            _ = downstream.receive(value)
            if !isCancelled { downstream.receive(completion: .finished) }
        case .nothing:
            downstream.receive(completion: .finished)
        case .end(let completion):
            downstream.receive(completion: completion)
        }
    }
}

/// The subscription handed downstream by operators that deliver one value: demand goes to the value that is kept,
/// cancellation to the upstream as well.
@usableFromInline
class OutcomeSubscription: NamedSubscription {
    @usableFromInline final let outcome: OneShotControl
    @usableFromInline final let link: UpstreamLink

    @inlinable
    init(outcome: OneShotControl, link: UpstreamLink) {
        self.outcome = outcome
        self.link = link
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        outcome.request(demand)
    }

    @usableFromInline
    final func cancel() {
        outcome.cancel()
        link.cancel()
    }

    @usableFromInline final var description: String { outcome.description }
}

/// The same for operators that pass values on while it is open whether they deliver one of their own: demand goes to
/// both.
@usableFromInline
final class ForwardingOutcomeSubscription: OutcomeSubscription, BackpressureTraits {
    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        outcome.request(demand)
        link.request(demand)
    }

    @usableFromInline var dropsUnrequestedValues: Bool { link.dropsUnrequestedValues }

    @usableFromInline
    func keepUnrequestedValues() {
        if dropsUnrequestedValues {
            request(.unlimited)
        } else {
            link.keepUnrequestedValues()
        }
    }
}

/// The subscription of sources that know their one value from the start.
@usableFromInline
final class KnownValueSubscription<Downstream: Subscriber>: OneShotControl {
    @usableFromInline
    struct Parts {
        /// Nil after cancellation.
        @usableFromInline var value: Downstream.Input?
        @usableFromInline var downstream: Downstream?

        @inlinable
        init(value: Downstream.Input, downstream: Downstream) {
            self.value = value
            self.downstream = downstream
        }
    }

    /// Guards the value where that is shown and where it is let go of. Its delivery excludes the latter.
    @usableFromInline let showing = Locked(())

    @inlinable var parts: UnsafeMutablePointer<Parts> { storage.contents(as: Parts.self) }

    /// The creator calls `handOver(to:)`.
    ///
    /// - Parameters:
    ///   - name: Combine's name for the publisher.
    ///   - value: Let go of on cancellation, and shown until then.
    ///   - downstream: Let go of on delivery or cancellation.
    @inlinable
    init(_ name: String, value: Downstream.Input, downstream: Downstream) {
        super.init(
            name,
            flags: Flag.resolved | Flag.held,
            storage: ErasedStorage(Parts(value: value, downstream: downstream))
        ) { control, turn in
            let subscription = unsafeDowncast(control, to: KnownValueSubscription<Downstream>.self)
            let downstream = subscription.parts.pointee.downstream.take()
            guard case .deliver = turn else { return subscription.release() }
            guard let downstream, let value = subscription.parts.pointee.value else { return }
            _ = downstream.receive(value)
            if !subscription.isCancelled { downstream.receive(completion: .finished) }
        }
    }

    @inlinable
    func release() {
        let released = showing.withLock { [parts] _ in parts.pointee.value.take() }
        withExtendedLifetime(released) {}
    }
}
