extension ConnectablePublisher {
    /// Connects when the first subscriber comes, and disconnects when the last one has cancelled.
    ///
    /// ```
    /// ──1──2──3──4──|                    connected while A or B is there
    ///   multicast { PassthroughSubject() }.autoconnect()
    /// A 1──2──3──4──|
    /// B ──────3──4──|
    /// ```
    ///
    /// Somebody who subscribes after that connects anew, to the same publisher with what it remembers: one who comes
    /// while the old connection is still ending may hear of that as well. ``Publisher/share()`` keeps the two apart.
    ///
    /// **Demand** passes through.
    ///
    /// **Completion** passes through. It neither disconnects nor has the next one connect anew.
    ///
    /// **Cancellation** passes through. That of the last subscriber cancels the connection after that, on the same
    /// thread.
    ///
    /// **Threads.** Signals come on the thread that the publisher sends them on. The first subscriber connects, on its
    /// thread.
    @inlinable
    public func autoconnect() -> Publishers.Autoconnect<Self> {
        Publishers.Autoconnect(upstream: self)
    }
}

extension Publishers {
    /// The publisher that ``ConnectablePublisher/autoconnect()`` makes.
    public final class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        @usableFromInline let state = Locked(AutoconnectState())

        /// Makes the publisher; ``ConnectablePublisher/autoconnect()`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let hasToConnect = join()
            upstream.subscribe(Inner(downstream: subscriber, parent: self))
            if hasToConnect { connect() }
        }

        /// - Returns: Whether the caller has to connect once it has subscribed.
        @inlinable
        func join() -> Bool {
            state.withLock { state in
                state.members += 1
                state.isAbandoned = false
                guard case .none = state.connection else { return false }
                state.connection = .pending
                return true
            }
        }

        /// Connects, unless everybody has left before or leaves meanwhile.
        @inlinable
        func connect() {
            guard isWanted() else { return }
            let made = AutoconnectState.Dropped(connection: upstream.connect())
            let dropped = state.withLock { state in
                guard !state.isAbandoned, let connection = made.connection else {
                    state.connection = .none
                    return made
                }
                state.connection = .established(connection)
                return AutoconnectState.Dropped()
            }
            dropped.connection?.cancel()
        }

        /// A subscriber has cancelled.
        @inlinable
        func leave() {
            let dropped = state.withLock { state in
                state.members -= 1
                guard state.members == 0 else { return AutoconnectState.Dropped() }
                guard case .established(let connection) = state.connection else {
                    state.isAbandoned = true
                    return AutoconnectState.Dropped()
                }
                state.connection = .none
                return AutoconnectState.Dropped(connection: connection)
            }
            dropped.connection?.cancel()
        }

        /// A subscriber's stream has completed. That is no reason to disconnect, or to connect anew for the next one.
        @inlinable
        func end() {
            state.withLock { $0.members -= 1 }
        }

        @inlinable
        func isWanted() -> Bool {
            state.withLock { state in
                if state.members == 0 { state.connection = .none }
                return state.members > 0
            }
        }
    }
}

// Safe because all that changes is behind a lock.
extension Publishers.Autoconnect: @unchecked Sendable where Upstream: Sendable {}

extension Publishers.Autoconnect {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: Subscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let parent: Publishers.Autoconnect<Upstream>
        @usableFromInline let membership = SerialState<AutoconnectSubscription?>(nil)

        @inlinable
        init(downstream: Downstream, parent: Publishers.Autoconnect<Upstream>) {
            self.downstream = downstream
            self.parent = parent
        }

        @inlinable var combineIdentifier: CombineIdentifier { CombineIdentifier(membership) }

        @inlinable
        func receive(subscription: any Subscription) {
            guard membership.value == nil else { return subscription.cancel() }
            let member = AutoconnectSubscription(of: parent, subscription)
            membership.value = member
            downstream.receive(subscription: member)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            downstream.receive(input)
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            membership.value?.end()
            downstream.receive(completion: completion)
        }
    }

    /// The upstream's subscription, shown as such, that counts as one subscriber until it is cancelled or the stream
    /// completes.
    @usableFromInline
    final class AutoconnectSubscription: NamedSubscription, BackpressureTraits {
        // Safe because a subscription may be used from any thread by contract (rule 4).
        struct Held: @unchecked Sendable {
            var parent: Publishers.Autoconnect<Upstream>?
            var subscription: (any Subscription)?
        }

        @usableFromInline let combineIdentifier: CombineIdentifier
        @usableFromInline let description: String
        private let held: Locked<Held>

        @usableFromInline
        init(of parent: Publishers.Autoconnect<Upstream>, _ subscription: any Subscription) {
            combineIdentifier = subscription.combineIdentifier
            description = String(describing: subscription)
            held = Locked(Held(parent: parent, subscription: subscription))
        }

        @usableFromInline
        func request(_ demand: Subscribers.Demand) {
            held.withLock { $0 }.subscription?.request(demand)
        }

        @usableFromInline
        func cancel() {
            let left = letGo()
            left.subscription?.cancel()
            left.parent?.leave()
        }

        @usableFromInline
        func end() {
            letGo().parent?.end()
        }

        /// A subscription that is kept keeps nothing else alive once the stream is over, and counts no more.
        private func letGo() -> Held {
            held.withLock { held in
                let left = held
                held = Held()
                return left
            }
        }

        @usableFromInline var dropsUnrequestedValues: Bool {
            Streams.dropsUnrequestedValues(held.withLock { $0 }.subscription)
        }

        @usableFromInline
        func keepUnrequestedValues() {
            Streams.keepUnrequestedValues(held.withLock { $0 }.subscription)
        }

    }
}

/// What belongs to the lock. It does not depend on what flows, so that nobody has to look its layout up.
@usableFromInline
// Safe because a connection may be cancelled from any thread by contract (rule 4).
struct AutoconnectState: @unchecked Sendable {
    @usableFromInline
    enum Connection {
        case none
        /// A thread has made it its task to connect.
        case pending
        case established(any Cancellable)
    }

    @usableFromInline
    // Safe because it is only a way out of the lock.
    struct Dropped: @unchecked Sendable {
        @usableFromInline var connection: (any Cancellable)?

        @inlinable
        init(connection: (any Cancellable)? = nil) {
            self.connection = connection
        }
    }

    @usableFromInline var members = 0
    @usableFromInline var connection = Connection.none
    /// Whether the last one cancelled while the connection was pending.
    @usableFromInline var isAbandoned = false

    @inlinable
    init() {}
}
