import Synchronization

extension Publisher {
    /// Delivers the values of one subscription to all subscribers.
    ///
    /// ```
    /// ──1──2──3──|
    ///   share()
    /// A 1──2──3──|
    /// B ───2──3──|
    /// ```
    ///
    /// The first subscriber starts the subscription to this publisher. When the last subscriber cancels before the end,
    /// the subscription is cancelled. A later subscriber starts a new one, and receives no signals of the old one. Once
    /// the stream has completed, later subscribers receive the completion.
    ///
    /// **Demand.** All values are requested once a subscriber has requested any. A subscriber misses values that were
    /// sent before it subscribed, or for which it had no demand.
    ///
    /// **Completion** is delivered to all subscribers.
    ///
    /// **Cancellation.** When the last subscriber cancels, the upstream is cancelled on the same thread.
    ///
    /// **Threads.** Signals are delivered on the thread on which the upstream sends them.
    @inlinable
    public func share() -> Publishers.Share<Self> {
        Publishers.Share(upstream: self)
    }
}

extension Publishers {
    /// A publisher that delivers the values of one subscription to all subscribers. See ``Publisher/share()``.
    ///
    /// An instance is equal only to itself.
    public final class Share<Upstream: Publisher>: Publisher, Equatable {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream
        @usableFromInline let source = SharedConnection<PassthroughSubject<Output, Failure>>()

        /// Creates the publisher of ``Publisher/share()``.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            // Combine describes these subscriptions as Multicast.
            source.subscribe(subscriber, to: upstream, as: "Multicast") { PassthroughSubject() }
        }

        public static func == (lhs: Publishers.Share<Upstream>, rhs: Publishers.Share<Upstream>) -> Bool {
            lhs === rhs
        }
    }
}

// Safe because a lock protects all mutable state.
extension Publishers.Share: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

extension Publisher {
    /// Delivers the values of one subscription to all subscribers, and replays the newest ones to later subscribers.
    ///
    /// ```
    /// ──1──2──3─────|
    ///   share(replay: 1)
    /// A 1──2──3─────|
    /// B ──────2─3───|        subscribes after 2
    /// C               3|     subscribes after the end
    /// ```
    ///
    /// The first subscriber starts the subscription to this publisher. When the last subscriber cancels before the end,
    /// the subscription is cancelled and the kept values are released. A later subscriber starts a new subscription.
    /// Once the stream has completed, later subscribers receive the kept values and the completion.
    ///
    /// **Demand.** All values are requested at once. A value that a subscriber has not requested stays available to it
    /// as long as it is among the values kept.
    ///
    /// **Completion** is delivered after the values that are kept for the subscriber.
    ///
    /// **Cancellation.** When the last subscriber cancels, the upstream is cancelled on the same thread.
    ///
    /// **Threads.** Kept values are delivered on the thread that requests them, the others on the thread on which the
    /// upstream sends them.
    ///
    /// - Parameter count: The number of values that are kept.
    @inlinable
    @_disfavoredOverload
    public func share(replay count: Int) -> Operators.ShareReplay<Self> {
        Operators.ShareReplay(upstream: self, count: count)
    }
}

extension Operators {
    /// A publisher that shares one subscription and replays its newest values to later subscribers. See
    /// ``Publisher/share(replay:)``.
    ///
    /// An instance is equal only to itself.
    public final class ShareReplay<Upstream: Publisher>: Publisher, Equatable {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The number of values that are kept.
        public let count: Int

        @usableFromInline let source = SharedConnection<ReplaySubject<Output, Failure>>()

        /// Creates the publisher of ``Publisher/share(replay:)``.
        public init(upstream: Upstream, count: Int) {
            precondition(count >= 0, "there is no negative number of values")
            self.upstream = upstream
            self.count = count
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            source.subscribe(subscriber, to: upstream, as: "ShareReplay") { ReplaySubject(bufferSize: count) }
        }

        public static func == (lhs: ShareReplay<Upstream>, rhs: ShareReplay<Upstream>) -> Bool {
            lhs === rhs
        }
    }
}

// Safe because a lock protects all mutable state.
extension Operators.ShareReplay: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

/// A subject that feeds the subscribers of one connection.
@usableFromInline
protocol ShareableSubject: Subject {
    /// Whether the subject has completed. It is set before any subscriber receives the completion.
    var isFinished: Bool { get }
}

extension PassthroughSubject: ShareableSubject {
    @usableFromInline var isFinished: Bool { core.isFinished.load(ordering: .acquiring) }
}

extension ReplaySubject: ShareableSubject {
    @usableFromInline var isFinished: Bool { core.isFinished.load(ordering: .acquiring) }
}

/// The subject that the subscribers of `share()` and `share(replay:)` share, and the connection that feeds it.
///
/// Both are replaced together when the last subscriber cancels before the end. So a later subscriber receives neither
/// values nor the completion of the old connection, even if it subscribes at the same time.
@usableFromInline
final class SharedConnection<SubjectType: ShareableSubject> {
    // Safe because subjects and connections may be used from any thread by contract (rule 4).
    private struct State: @unchecked Sendable {
        var subject: SubjectType?
        var subscriberCount = 0
        var connection: (any Cancellable)?

        /// Counts a subscriber if there is a subject.
        ///
        /// - Returns: The subject to subscribe to.
        mutating func addSubscriber() -> SubjectType? {
            if subject != nil { subscriberCount += 1 }
            return subject
        }
    }

    private let state = Locked(State())

    @usableFromInline
    init() {}

    /// Subscribes to the subject, and connects the subject to the upstream if this is its first subscriber.
    ///
    /// - Parameters:
    ///   - subscriber: The subscriber.
    ///   - upstream: The publisher that feeds the subject.
    ///   - name: The description of the subscription.
    ///   - makeSubject: A closure that creates a subject, called when there is none. The result is not used if another
    ///     thread stores its subject first.
    @inlinable
    func subscribe<S: Subscriber, Upstream: Publisher>(
        _ subscriber: S, to upstream: Upstream, as name: String, makeSubject: () -> SubjectType
    )
    where
        S.Input == SubjectType.Output, S.Failure == SubjectType.Failure,
        Upstream.Output == SubjectType.Output, Upstream.Failure == SubjectType.Failure
    {
        let (subject, isFirst) = addSubscriber(makeSubject)
        subject.subscribe(
            SharedSubscriber(
                downstream: subscriber, link: SharedSubscription(name, connection: self, subject: subject)))
        if isFirst, isCurrent(subject) { connect(upstream.subscribe(subject), to: subject) }
    }

    /// Counts a subscriber.
    ///
    /// - Parameter makeSubject: A closure that creates a subject, called when there is none.
    /// - Returns: The subject to subscribe to, and whether the caller has to connect it after that.
    @usableFromInline
    func addSubscriber(_ makeSubject: () -> SubjectType) -> (subject: SubjectType, isFirst: Bool) {
        if let subject = state.withLock({ $0.addSubscriber() }) { return (subject, false) }
        let created = makeSubject()
        return state.withLock { state in
            if let subject = state.addSubscriber() { return (subject, false) }
            state.subject = created
            state.subscriberCount = 1
            return (created, true)
        }
    }

    /// Returns whether a subject is in use: it has subscribers, or has completed.
    @usableFromInline
    func isCurrent(_ subject: SubjectType) -> Bool {
        state.withLock { $0.subject === subject }
    }

    /// Stores the connection that feeds a subject, or cancels it if all subscribers have cancelled meanwhile.
    @usableFromInline
    func connect(_ connection: any Cancellable, to subject: SubjectType) {
        let isStored = state.withLock { state in
            guard state.subject === subject else { return false }
            state.connection = connection
            return true
        }
        if !isStored { connection.cancel() }
    }

    /// Handles that a subscriber of a subject has cancelled.
    @usableFromInline
    func subscriberCancelled(_ subject: SubjectType) {
        let replaced = state.withLock { state in
            guard state.subject === subject else { return State() }
            state.subscriberCount -= 1
            guard state.subscriberCount == 0, !subject.isFinished else { return State() }
            return exchange(&state, with: State())
        }
        replaced.connection?.cancel()
    }
}

/// The receiver of the signals of a shared subject for one subscriber.
@usableFromInline
struct SharedSubscriber<Downstream: Subscriber, SubjectType: ShareableSubject>: LinkedSubscriber
where Downstream.Input == SubjectType.Output, Downstream.Failure == SubjectType.Failure {
    @usableFromInline let downstream: Downstream
    @usableFromInline let link: SharedSubscription<SubjectType>

    @inlinable
    init(downstream: Downstream, link: SharedSubscription<SubjectType>) {
        self.downstream = downstream
        self.link = link
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription) { downstream.receive(subscription: link) }
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        link.isActive ? downstream.receive(input) : .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        guard link.complete() else { return }
        link.releaseSource()
        downstream.receive(completion: completion)
    }
}

/// A subject's subscription that counts as one subscriber until it is cancelled.
// Safe because a lock protects the state that it adds.
@usableFromInline
final class SharedSubscription<SubjectType: ShareableSubject>: UpstreamLink, @unchecked Sendable {
    // Safe because subjects may be used from any thread by contract (rule 4).
    private struct Source: @unchecked Sendable {
        let connection: SharedConnection<SubjectType>
        let subject: SubjectType
    }

    private let name: String
    private let source: Locked<Source?>

    @usableFromInline
    init(_ name: String, connection: SharedConnection<SubjectType>, subject: SubjectType) {
        self.source = Locked(Source(connection: connection, subject: subject))
        self.name = name
        super.init()
    }

    @usableFromInline override var description: String { name }

    /// Releases the subject after the completion. The subscriber stays counted, so that the next one does not connect
    /// again.
    @usableFromInline
    func releaseSource() {
        _ = source.withLock { $0.take() }
    }

    @usableFromInline
    override func cancel() {
        let released = source.withLock { $0.take() }
        super.cancel()
        if let released { released.connection.subscriberCancelled(released.subject) }
    }
}
