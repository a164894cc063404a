import Synchronization

extension Publisher {
    /// Publishes the values of one upstream subscription to all subscribers.
    ///
    /// ```
    /// ──1──2──3──|
    ///   share()
    /// A 1──2──3──|
    /// B ───2──3──|
    /// ```
    ///
    /// The first subscriber subscribes to the upstream. A subscriber that comes after the last one has cancelled
    /// subscribes anew, and receives nothing of the earlier subscription.
    ///
    /// **Demand.** All values are requested. A subscriber misses values that it has not requested in time.
    ///
    /// **Completion.** All subscribers receive the completion, also those that come later.
    ///
    /// **Cancellation.** When the last subscriber cancels before the completion, its thread cancels the upstream.
    ///
    /// **Threads.** Signals arrive on the upstream's thread.
    @inlinable
    public func share() -> Publishers.Share<Self> {
        Publishers.Share(upstream: self)
    }
}

extension Publishers {
    /// A publisher that shares one upstream subscription. It is equal only to itself.
    public final class Share<Upstream: Publisher>: Publisher, Equatable {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher to share.
        public let upstream: Upstream
        @usableFromInline let connection = SharedConnection<PassthroughSubject<Output, Failure>>()

        /// Creates a publisher; ``Publisher/share()`` does the same.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            // Combine describes the subscription so.
            connection.subscribe(subscriber, to: upstream, as: "Multicast") { PassthroughSubject() }
        }

        public static func == (lhs: Publishers.Share<Upstream>, rhs: Publishers.Share<Upstream>) -> Bool {
            lhs === rhs
        }
    }
}

// Safe because the connection's state is behind a lock.
extension Publishers.Share: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

extension Publisher {
    /// Publishes the values of one upstream subscription to all subscribers, and the newest ones to later subscribers.
    ///
    /// ```
    /// ──1──2──3─────|
    ///   share(replay: 1)
    /// A 1──2──3─────|
    /// B ──────2─3───|        subscribes after 2
    /// C               3|     subscribes after the end
    /// ```
    ///
    /// The first subscriber subscribes to the upstream. A subscriber that comes after the last one has cancelled
    /// subscribes anew, and receives nothing of the earlier subscription.
    ///
    /// **Demand.** All values are requested. A subscriber receives a value later that it has not requested in time, as
    /// long as the value is among those kept.
    ///
    /// **Completion.** All subscribers receive the completion after the values kept, also those that come later.
    ///
    /// **Cancellation.** When the last subscriber cancels before the completion, its thread cancels the upstream, and
    /// the values are released.
    ///
    /// **Threads.** Values kept arrive on the thread that requests them, other signals on the upstream's thread.
    ///
    /// - Parameter count: The number of values to keep.
    @inlinable
    @_disfavoredOverload
    public func share(replay count: Int) -> Operators.ShareReplay<Self> {
        Operators.ShareReplay(upstream: self, count: count)
    }
}

extension Operators {
    /// A publisher that shares one upstream subscription and its newest values. It is equal only to itself.
    public final class ShareReplay<Upstream: Publisher>: Publisher, Equatable {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher to share.
        public let upstream: Upstream

        /// The number of values to keep.
        public let count: Int

        @usableFromInline let connection = SharedConnection<ReplaySubject<Output, Failure>>()

        /// Creates a publisher; ``Publisher/share(replay:)`` does the same.
        public init(upstream: Upstream, count: Int) {
            precondition(count >= 0, "there is no negative number of values")
            self.upstream = upstream
            self.count = count
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            connection.subscribe(subscriber, to: upstream, as: "ShareReplay") { ReplaySubject(bufferSize: count) }
        }

        public static func == (lhs: ShareReplay<Upstream>, rhs: ShareReplay<Upstream>) -> Bool {
            lhs === rhs
        }
    }
}

// Safe because the connection's state is behind a lock.
extension Operators.ShareReplay: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

/// A subject that a ``SharedConnection`` can use.
@usableFromInline
protocol ShareableSubject: Subject {
    /// Whether the subject has completed. True before any subscriber receives the completion.
    var isFinished: Bool { get }
}

extension PassthroughSubject: ShareableSubject {
    @usableFromInline var isFinished: Bool { core.isFinished.load(ordering: .acquiring) }
}

extension ReplaySubject: ShareableSubject {
    @usableFromInline var isFinished: Bool { core.isFinished.load(ordering: .acquiring) }
}

/// The connection of ``Publisher/share()`` and ``Publisher/share(replay:)``: a subject, its upstream subscription, and the
/// number of subscribers.
///
/// All three are replaced at once when the last subscriber has cancelled before the end. So a later subscriber receives
/// no value and no completion of the old connection, also if that is ending at the same time.
@usableFromInline
final class SharedConnection<SubjectType: ShareableSubject> {
    private struct State {
        var subject: SubjectType?
        var subscriberCount = 0
        var upstream: (any Cancellable)?

        /// Adds a subscriber if there is a subject to subscribe to.
        mutating func join() -> SubjectType? {
            if subject != nil { subscriberCount += 1 }
            return subject
        }
    }

    private let state = Locked(State())

    @usableFromInline
    init() {}

    /// Subscribes to the subject, and then the subject to the upstream if this is the first subscriber.
    ///
    /// - Parameters:
    ///   - name: The description of the subscription.
    ///   - makeSubject: A closure that creates a subject. It is unused if another thread is quicker.
    @inlinable
    func subscribe<S: Subscriber, Upstream: Publisher>(
        _ subscriber: S, to upstream: Upstream, as name: String, makeSubject: () -> SubjectType
    )
    where
        S.Input == SubjectType.Output, S.Failure == SubjectType.Failure,
        Upstream.Output == SubjectType.Output, Upstream.Failure == SubjectType.Failure
    {
        let (subject, isFirst) = join(makeSubject)
        let link = SharedLink(name) { [self] isCancelled in
            // A completion is no reason to start anew for the next subscriber.
            if isCancelled { leave(subject) }
        }
        subject.subscribe(SharedSubscriber(downstream: subscriber, link: link))
        if isFirst, isCurrent(subject) { connect(upstream.subscribe(subject), to: subject) }
    }

    /// Adds a subscriber.
    ///
    /// - Returns: The subject to subscribe to, and whether the caller has to connect it after that.
    @usableFromInline
    func join(_ makeSubject: () -> SubjectType) -> (subject: SubjectType, isFirst: Bool) {
        if let subject = state.withLock({ $0.join() }) { return (subject, false) }
        let fresh = makeSubject()
        return state.withLock { state in
            if let subject = state.join() { return (subject, false) }
            state.subject = fresh
            state.subscriberCount = 1
            return (fresh, true)
        }
    }

    /// Whether a subject has subscribers or has completed.
    @usableFromInline
    func isCurrent(_ subject: SubjectType) -> Bool {
        state.withLock { $0.subject === subject }
    }

    /// Stores the upstream subscription of a subject. Cancels it if all subscribers have cancelled meanwhile.
    @usableFromInline
    func connect(_ upstream: any Cancellable, to subject: SubjectType) {
        let isAwaited = state.withLock { state in
            guard state.subject === subject else { return false }
            state.upstream = upstream
            return true
        }
        if !isAwaited { upstream.cancel() }
    }

    /// Removes a subscriber that has cancelled.
    @usableFromInline
    func leave(_ subject: SubjectType) {
        let abandoned = state.withLock { state in
            guard state.subject === subject else { return State() }
            state.subscriberCount -= 1
            guard state.subscriberCount == 0, !subject.isFinished else { return State() }
            return exchange(&state, with: State())
        }
        abandoned.upstream?.cancel()
    }
}
