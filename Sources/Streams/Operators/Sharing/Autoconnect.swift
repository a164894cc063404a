extension ConnectablePublisher {
    /// Connects this publisher for the first subscriber, and disconnects it when the last one has cancelled.
    ///
    /// ```
    /// ──1──2──3──4──|                    connected while A or B is subscribed
    ///   multicast { PassthroughSubject() }.autoconnect()
    /// A 1──2──3──4──|
    /// B ──────3──4──|
    /// ```
    ///
    /// A subscriber that follows connects the same publisher again, in the state that it has. It may also receive
    /// signals of the previous connection if it subscribes while that one is ending. ``Publisher/share()`` keeps
    /// connections apart.
    ///
    /// **Demand** passes through.
    ///
    /// **Completion** passes through. The publisher is not disconnected then, and not connected again for the next
    /// subscriber.
    ///
    /// **Cancellation** passes through. When the last subscriber cancels, the connection is cancelled next, on the same
    /// thread.
    ///
    /// **Threads.** Signals are delivered on the thread on which the publisher sends them. The publisher is connected
    /// on the thread of the first subscriber.
    @inlinable
    public func autoconnect() -> Publishers.Autoconnect<Self> {
        Publishers.Autoconnect(upstream: self)
    }
}

extension Publishers {
    /// A publisher that connects its upstream for the first subscriber and disconnects it after the last one. See
    /// ``ConnectablePublisher/autoconnect()``.
    public final class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        @usableFromInline let state = Locked(AutoconnectState())

        /// Creates the publisher of ``ConnectablePublisher/autoconnect()``.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let hasToConnect = addSubscriber()
            upstream.subscribe(Inner(downstream: subscriber, parent: self))
            if hasToConnect { connect() }
        }

        /// Counts a subscriber.
        ///
        /// - Returns: Whether the caller has to connect once it has subscribed.
        @inlinable
        func addSubscriber() -> Bool {
            state.withLock { state in
                state.subscriberCount += 1
                state.isAbandoned = false
                guard case .none = state.connection else { return false }
                state.connection = .pending
                return true
            }
        }

        /// Connects the upstream unless there are no subscribers any more. If the last one cancels meanwhile, the
        /// connection is cancelled.
        @inlinable
        func connect() {
            guard confirmPendingConnection() else { return }
            let established = AutoconnectState.ConnectionBox(connection: upstream.connect())
            let unused = state.withLock { state in
                guard !state.isAbandoned, let connection = established.connection else {
                    state.connection = .none
                    return established
                }
                state.connection = .established(connection)
                return AutoconnectState.ConnectionBox()
            }
            unused.connection?.cancel()
        }

        /// Handles that a subscriber has cancelled.
        @inlinable
        func subscriberCancelled() {
            let unused = state.withLock { state in
                state.subscriberCount -= 1
                guard state.subscriberCount == 0 else { return AutoconnectState.ConnectionBox() }
                guard case .established(let connection) = state.connection else {
                    state.isAbandoned = true
                    return AutoconnectState.ConnectionBox()
                }
                state.connection = .none
                return AutoconnectState.ConnectionBox(connection: connection)
            }
            unused.connection?.cancel()
        }

        /// Handles that a subscriber has received the completion. The connection stays, so that the next subscriber
        /// does not connect again.
        @inlinable
        func subscriberCompleted() {
            state.withLock { $0.subscriberCount -= 1 }
        }

        /// Withdraws the pending connection if there are no subscribers.
        ///
        /// - Returns: Whether the connection is still needed.
        @inlinable
        func confirmPendingConnection() -> Bool {
            state.withLock { state in
                if state.subscriberCount == 0 { state.connection = .none }
                return state.subscriberCount > 0
            }
        }
    }
}

// Safe because a lock protects all mutable state.
extension Publishers.Autoconnect: @unchecked Sendable where Upstream: Sendable {}

extension Publishers.Autoconnect {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: Subscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let parent: Publishers.Autoconnect<Upstream>
        @usableFromInline let current = SerialState<AutoconnectSubscription?>(nil)

        @inlinable
        init(downstream: Downstream, parent: Publishers.Autoconnect<Upstream>) {
            self.downstream = downstream
            self.parent = parent
        }

        @inlinable var combineIdentifier: CombineIdentifier { CombineIdentifier(current) }

        @inlinable
        func receive(subscription: any Subscription) {
            guard current.value == nil else { return subscription.cancel() }
            let counted = AutoconnectSubscription(of: parent, subscription)
            current.value = counted
            downstream.receive(subscription: counted)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            downstream.receive(input)
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            current.value?.complete()
            downstream.receive(completion: completion)
        }
    }

    /// A subscription that counts as one subscriber until it is cancelled or the stream completes. It has the
    /// identifier and the description of the upstream's subscription.
    @usableFromInline
    final class AutoconnectSubscription: NamedSubscription, BackpressureTraits {
        // Safe because a subscription may be used from any thread by contract (rule 4).
        struct References: @unchecked Sendable {
            var parent: Publishers.Autoconnect<Upstream>?
            var subscription: (any Subscription)?
        }

        @usableFromInline let combineIdentifier: CombineIdentifier
        @usableFromInline let description: String
        private let references: Locked<References>

        @usableFromInline
        init(of parent: Publishers.Autoconnect<Upstream>, _ subscription: any Subscription) {
            combineIdentifier = subscription.combineIdentifier
            description = String(describing: subscription)
            references = Locked(References(parent: parent, subscription: subscription))
        }

        @usableFromInline
        func request(_ demand: Subscribers.Demand) {
            references.withLock { $0 }.subscription?.request(demand)
        }

        @usableFromInline
        func cancel() {
            let released = releaseReferences()
            released.subscription?.cancel()
            released.parent?.subscriberCancelled()
        }

        @usableFromInline
        func complete() {
            releaseReferences().parent?.subscriberCompleted()
        }

        /// Releases the publisher and its subscription, so that a subscription that is retained after the end of the
        /// stream keeps neither alive.
        ///
        /// - Returns: The references. They are nil from the second call on.
        private func releaseReferences() -> References {
            references.withLock { references in
                let released = references
                references = References()
                return released
            }
        }

        @usableFromInline var dropsUnrequestedValues: Bool {
            Streams.dropsUnrequestedValues(references.withLock { $0 }.subscription)
        }

        @usableFromInline
        func keepUnrequestedValues() {
            Streams.keepUnrequestedValues(references.withLock { $0 }.subscription)
        }
    }
}

/// The state that the lock protects. It is not generic, so that its layout is known at compile time.
@usableFromInline
// Safe because a connection may be cancelled from any thread by contract (rule 4).
struct AutoconnectState: @unchecked Sendable {
    @usableFromInline
    enum Connection {
        case none
        /// A subscribing thread is about to connect, or is connecting.
        case pending
        case established(any Cancellable)
    }

    /// A connection that is passed into the lock or out of it.
    @usableFromInline
    // Safe because a connection may be cancelled from any thread by contract (rule 4).
    struct ConnectionBox: @unchecked Sendable {
        @usableFromInline var connection: (any Cancellable)?

        @inlinable
        init(connection: (any Cancellable)? = nil) {
            self.connection = connection
        }
    }

    @usableFromInline var subscriberCount = 0
    @usableFromInline var connection = Connection.none
    /// Whether the last subscriber cancelled while the connection was pending.
    @usableFromInline var isAbandoned = false

    @inlinable
    init() {}
}
