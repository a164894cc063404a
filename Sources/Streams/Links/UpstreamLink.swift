import Synchronization

/// An operator's link to its upstream: holds the upstream's subscription from `attach` until the stream ends.
///
/// An operator consists of two parts. Values flow through a struct that the source holds, a ``LinkedSubscriber``.
/// Requests and the cancellation flow back through a link, which is also the subscription that the operator hands
/// downstream. The link does not reference the subscriber. So there is no reference cycle, values flow without a lock,
/// and a subscription that is kept after the end keeps nothing alive (rule 6).
///
/// An operator whose requests or cancellation do more overrides them in a direct subclass, whose name ends in `Link`.
///
/// Every member may be called from any thread. The upstream is called and released outside the lock.
@usableFromInline
class UpstreamLink: NamedSubscription {
    @usableFromInline
    enum SubscriptionStatus: UInt8, AtomicRepresentable {
        case awaitingSubscription
        case active
        case terminal
    }

    /// The operator's name, as `print()` writes it.
    @usableFromInline final let name: String

    private final let lock = Locked(())

    /// Written under the lock, read without it.
    @usableFromInline final let status = Atomic<SubscriptionStatus>(.awaitingSubscription)

    /// Guarded by the lock.
    @exclusivity(unchecked) private final var subscription: (any Subscription & AnyObject)?

    @usableFromInline
    init(_ name: String = "UpstreamLink") {
        self.name = name
    }

    /// Whether signals of the upstream are in turn: it has sent its subscription, and the stream has not ended.
    @inlinable
    final var isActive: Bool { status.load(ordering: .relaxed) == .active }

    /// Whether the stream was completed or cancelled.
    @inlinable
    final var isTerminal: Bool { status.load(ordering: .relaxed) == .terminal }

    /// The upstream's subscription while the link is active.
    @usableFromInline
    final var upstream: (any Subscription & AnyObject)? { lock.withLock { _ in subscription } }

    /// Stores the upstream's subscription. Cancels it if there is one already or the link was cancelled (rule 9).
    ///
    /// - Returns: Whether the link is active now and can be handed downstream.
    @inlinable
    @inline(__always)
    final func attach(_ subscription: any Subscription) -> Bool {
        // Inlined, because the caller often knows the subscription's type: then this is no dynamic call.
        attach(object: subscription._object)
    }

    /// The part of ``attach(_:)`` that is not inlined.
    @usableFromInline
    final func attach(object subscription: any Subscription & AnyObject) -> Bool {
        let isAttached = lock.withLock { _ in
            guard status.load(ordering: .relaxed) == .awaitingSubscription else { return false }
            self.subscription = subscription
            status.store(.active, ordering: .relaxed)
            return true
        }
        if !isAttached { subscription.cancel() }
        return isAttached
    }

    /// Ends the stream, because the upstream has completed or because the operator ends it early.
    ///
    /// - Parameter cancellingUpstream: Whether to cancel the upstream, which has not completed.
    /// - Returns: Whether the link was active, so that a completion can be delivered downstream.
    @usableFromInline
    @discardableResult
    final func complete(cancellingUpstream: Bool = false) -> Bool {
        guard isActive, let upstream = detach() else { return false }
        if cancellingUpstream { upstream.cancel() }
        return true
    }

    /// Ends the stream and releases the upstream's subscription.
    ///
    /// - Returns: The subscription, to be cancelled by the caller.
    @usableFromInline
    final func detach() -> (any Subscription & AnyObject)? {
        lock.withLock { _ in
            status.store(.terminal, ordering: .relaxed)
            return subscription.take()
        }
    }

    /// Passes a request on. A request for nothing, or after the end, is ignored.
    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        send(demand)
    }

    /// Requests values of the upstream for a ``StateDrain``, also if an override of ``request(_:)`` submits an event.
    @usableFromInline
    func send(_ demand: Subscribers.Demand) {
        upstream?.request(demand)
    }

    /// Cancels the upstream, now or when its subscription comes.
    @usableFromInline
    func cancel() {
        // Most subscriptions are released after their end.
        if !isTerminal { detach()?.cancel() }
    }

    /// Whether the upstream drops values that were not requested.
    @usableFromInline var dropsUnrequestedValues: Bool {
        (upstream as? any NamedSubscription)?.dropsUnrequestedValues ?? false
    }

    @usableFromInline var description: String { name }
}

/// A subscription described by its operator's name. It hides its state, which other threads may be changing.
@usableFromInline
protocol NamedSubscription: AnyObject, Subscription, CustomStringConvertible, CustomReflectable {
    /// Whether a value that was not requested is lost, so that all have to be requested at once.
    var dropsUnrequestedValues: Bool { get }
}

extension NamedSubscription {
    @usableFromInline var dropsUnrequestedValues: Bool { false }

    @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// The subscriber of an operator that hands an ``UpstreamLink`` downstream.
@usableFromInline
protocol LinkedSubscriber: Subscriber {
    associatedtype Link: UpstreamLink
    associatedtype Downstream: Subscriber

    var link: Link { get }
    var downstream: Downstream { get }
}

extension LinkedSubscriber {
    @inlinable var combineIdentifier: CombineIdentifier { link.combineIdentifier }

    @inlinable var needsEveryValue: Bool { downstream.needsEveryValue }

    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription) { downstream.receive(subscription: link) }
    }
}

extension LinkedSubscriber where Failure == Downstream.Failure {
    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        if link.complete() { downstream.receive(completion: completion) }
    }
}
