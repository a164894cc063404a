extension ConnectablePublisher {
    /// Connects with the first subscriber, and disconnects after the last one has cancelled.
    ///
    /// ```
    /// ──1──2──3──4──|                    connected while A or B is subscribed
    ///   multicast { PassthroughSubject() }.autoconnect()
    /// A 1──2──3──4──|
    /// B ──────3──4──|
    /// ```
    ///
    /// A subscriber that comes after that connects the same publisher again, and receives the values that the publisher
    /// has kept. In contrast to ``Publisher/share()``, it may also receive the completion of the old connection.
    ///
    /// **Demand.** Requests pass through.
    ///
    /// **Completion.** The completion passes through. It does not disconnect, and later subscribers do not connect anew.
    ///
    /// **Cancellation.** Passes through. The last cancellation then also cancels the connection, on the same thread. While
    /// a publisher other than ``Publishers/Multicast`` and ``Publishers/MakeConnectable`` connects, that waits for it.
    ///
    /// **Threads.** Signals arrive on the upstream's thread. The first subscriber's thread connects.
    @inlinable
    public func autoconnect() -> Publishers.Autoconnect<Self> {
        Publishers.Autoconnect(upstream: self)
    }
}

extension Publishers {
    /// A publisher that connects to its upstream while it has subscribers.
    public final class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher to connect.
        public let upstream: Upstream

        @usableFromInline let connection = CountedConnection()

        /// Creates a publisher; ``ConnectablePublisher/autoconnect()`` does the same.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let connection = connection
            let isFirst = connection.join()
            let link = SharedLink(nil) { connection.leave(isCancelled: $0) }
            upstream.subscribe(SharedSubscriber(downstream: subscriber, link: link))
            if isFirst { connection.connect(upstream) }
        }
    }
}

// Safe because a lock guards the connection's state.
extension Publishers.Autoconnect: @unchecked Sendable where Upstream: Sendable {}

/// The connection of an autoconnecting publisher, and the number of its subscribers.
@usableFromInline
// Safe because a lock guards the state, and a connection may be cancelled from any thread (rule 4).
final class CountedConnection: @unchecked Sendable {
    private enum ConnectionState {
        case disconnected
        /// A thread is connecting. The connection is abandoned if the last subscriber has cancelled meanwhile.
        case connecting(isAbandoned: Bool)
        case connected(any Cancellable)
    }

    private struct State {
        var subscriberCount = 0
        var connection = ConnectionState.disconnected
    }

    private let state = Locked(State())

    @usableFromInline
    init() {}

    /// Adds a subscriber.
    ///
    /// - Returns: Whether the caller has to connect once it has subscribed.
    @usableFromInline
    func join() -> Bool {
        state.withLock { state in
            state.subscriberCount += 1
            switch state.connection {
            case .disconnected:
                state.connection = .connecting(isAbandoned: false)
                return true
            case .connecting:
                state.connection = .connecting(isAbandoned: false)
                return false
            case .connected:
                return false
            }
        }
    }

    /// Connects, unless all subscribers have left. Disconnects if they cancel meanwhile.
    @inlinable
    @inline(__always)
    func connect(_ upstream: some ConnectablePublisher) {
        guard isAwaited() else { return }
        if let upstream = upstream as? any StagedConnectable {
            upstream.connect(store)
        } else {
            store(upstream.connect())
        }
    }

    @usableFromInline
    func isAwaited() -> Bool {
        state.withLock { state in
            if state.subscriberCount == 0 { state.connection = .disconnected }
            return state.subscriberCount > 0
        }
    }

    /// Stores the connection. Cancels it if all subscribers have cancelled meanwhile.
    @usableFromInline
    func store(_ connection: any Cancellable) {
        let isKept = state.withLock { state in
            guard case .connecting(isAbandoned: false) = state.connection else {
                state.connection = .disconnected
                return false
            }
            state.connection = .connected(connection)
            return true
        }
        if !isKept { connection.cancel() }
    }

    /// Removes a subscriber, and disconnects if it was the last one and has cancelled.
    @usableFromInline
    func leave(isCancelled: Bool) {
        let connection: (any Cancellable)? = state.withLock { state in
            state.subscriberCount -= 1
            guard isCancelled, state.subscriberCount == 0 else { return nil }
            switch state.connection {
            case .disconnected:
                return nil
            case .connecting:
                state.connection = .connecting(isAbandoned: true)
                return nil
            case .connected(let connection):
                state.connection = .disconnected
                return connection
            }
        }
        connection?.cancel()
    }
}
