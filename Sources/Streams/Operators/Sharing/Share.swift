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
    /// This publisher is subscribed to when the first subscriber comes, and asked for everything. When the last one has
    /// cancelled before the end, the subscription is cancelled; somebody who comes after that starts a new one, and
    /// gets nothing of the old one. Once the stream has completed, all who come receive the completion.
    ///
    /// **Demand.** A subscriber misses values that came before it, or for which it had no demand.
    ///
    /// **Completion** comes to all.
    ///
    /// **Cancellation** of the last subscriber passes through, on the thread that cancels.
    ///
    /// **Threads.** Signals come on the thread that the upstream sends them on.
    @inlinable
    public func share() -> Publishers.Share<Self> {
        Publishers.Share(upstream: self)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/share()`` makes. It is equal only to itself.
    public final class Share<Upstream: Publisher>: Publisher, Equatable {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream
        @usableFromInline let source = SharedConnection<PassthroughSubject<Output, Failure>>()

        /// Makes the publisher; ``Publisher/share()`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            // Combine's name for what subscribers get.
            source.subscribe(subscriber, to: upstream, as: "Multicast") { PassthroughSubject() }
        }

        public static func == (lhs: Publishers.Share<Upstream>, rhs: Publishers.Share<Upstream>) -> Bool {
            lhs === rhs
        }
    }
}

// Safe because all that changes is behind a lock.
extension Publishers.Share: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

extension Publisher {
    /// Delivers the values of one subscription to all subscribers, and the newest ones to those who come later.
    ///
    /// ```
    /// ──1──2──3─────|
    ///   share(replay: 1)
    /// A 1──2──3─────|
    /// B ──────2─3───|        comes after 2
    /// C               3|     comes after the end
    /// ```
    ///
    /// This publisher is subscribed to when the first subscriber comes, and asked for everything. When the last one has
    /// cancelled before the end, the subscription is cancelled and what was kept let go of; somebody who comes after
    /// that starts anew. Once the stream has completed, all who come receive what is kept and the completion.
    ///
    /// **Demand.** What a subscriber does not ask for in time it gets later, as long as it is among the values kept.
    ///
    /// **Completion** comes after the values that are kept for the subscriber.
    ///
    /// **Cancellation** of the last subscriber passes through, on the thread that cancels.
    ///
    /// **Threads.** Values kept come on the thread that asks for them, the others on the one that sends them.
    ///
    /// - Parameter count: How many values are kept.
    @inlinable
    @_disfavoredOverload
    public func share(replay count: Int) -> Operators.ShareReplay<Self> {
        Operators.ShareReplay(upstream: self, count: count)
    }
}

extension Operators {
    /// The publisher that ``Publisher/share(replay:)`` makes. It is equal only to itself.
    public final class ShareReplay<Upstream: Publisher>: Publisher, Equatable {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// How many values are kept.
        public let count: Int

        @usableFromInline let source = SharedConnection<ReplaySubject<Output, Failure>>()

        /// Makes the publisher; ``Publisher/share(replay:)`` is the usual way to it.
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

// Safe because all that changes is behind a lock.
extension Operators.ShareReplay: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

/// A subject that feeds the subscribers of one connection.
@usableFromInline
protocol ShareableSubject: Subject {
    /// Whether it has completed. So it is before any subscriber is told.
    var isFinished: Bool { get }
}

extension PassthroughSubject: ShareableSubject {
    @usableFromInline var isFinished: Bool { core.isFinished.load(ordering: .acquiring) }
}

extension ReplaySubject: ShareableSubject {
    @usableFromInline var isFinished: Bool { core.isFinished.load(ordering: .acquiring) }
}

/// What the subscribers of `share()` and `share(replay:)` have in common: a subject, and the connection that feeds it.
///
/// Both are replaced together when the last subscriber has cancelled before the end, so who comes after that gets
/// nothing of the old connection, neither values nor its completion, not even if the two happen at once.
@usableFromInline
final class SharedConnection<SubjectType: ShareableSubject> {
    // Safe because subjects and connections may be used from any thread by contract (rule 4).
    private struct State: @unchecked Sendable {
        var subject: SubjectType?
        var members = 0
        var connection: (any Cancellable)?

        /// Adds a subscriber, if there is something to subscribe to.
        mutating func join() -> SubjectType? {
            if subject != nil { members += 1 }
            return subject
        }
    }

    private let state = Locked(State())

    @usableFromInline
    init() {}

    /// Subscribes to the subject, and connects that to the upstream if this is the first to come.
    ///
    /// - Parameters:
    ///   - name: Combine's name for what the subscriber gets.
    ///   - makeSubject: Called when there is no connection. What it makes is used unless another thread is quicker.
    @inlinable
    func subscribe<S: Subscriber, Upstream: Publisher>(
        _ subscriber: S, to upstream: Upstream, as name: String, makeSubject: () -> SubjectType
    )
    where
        S.Input == SubjectType.Output, S.Failure == SubjectType.Failure,
        Upstream.Output == SubjectType.Output, Upstream.Failure == SubjectType.Failure
    {
        let (subject, isFirst) = join(makeSubject)
        subject.subscribe(
            SharedSubscriber(downstream: subscriber, link: SharedSubscription(name, source: self, subject: subject)))
        if isFirst, isCurrent(subject) { connect(upstream.subscribe(subject), to: subject) }
    }

    /// Adds a subscriber.
    ///
    /// - Returns: The subject to subscribe to, and whether it is to be connected after that.
    @usableFromInline
    func join(_ makeSubject: () -> SubjectType) -> (subject: SubjectType, isFirst: Bool) {
        if let subject = state.withLock({ $0.join() }) { return (subject, false) }
        let fresh = makeSubject()
        return state.withLock { state in
            if let subject = state.join() { return (subject, false) }
            state.subject = fresh
            state.members = 1
            return (fresh, true)
        }
    }

    /// Whether there are subscribers to a subject, or it has completed.
    @usableFromInline
    func isCurrent(_ subject: SubjectType) -> Bool {
        state.withLock { $0.subject === subject }
    }

    /// Takes in the connection that feeds a subject. It is cancelled if all have left meanwhile.
    @usableFromInline
    func connect(_ connection: any Cancellable, to subject: SubjectType) {
        let isWanted = state.withLock { state in
            guard state.subject === subject else { return false }
            state.connection = connection
            return true
        }
        if !isWanted { connection.cancel() }
    }

    /// A subscriber has cancelled.
    @usableFromInline
    func leave(_ subject: SubjectType) {
        let left = state.withLock { state in
            guard state.subject === subject else { return State() }
            state.members -= 1
            guard state.members == 0, !subject.isFinished else { return State() }
            return exchange(&state, with: State())
        }
        left.connection?.cancel()
    }
}

/// The receiving half for one subscriber of a shared subject.
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
        link.stay()
        downstream.receive(completion: completion)
    }
}

/// A subject's subscription that counts as one subscriber until it is cancelled.
// Safe because what it adds is behind a lock.
@usableFromInline
final class SharedSubscription<SubjectType: ShareableSubject>: UpstreamLink, @unchecked Sendable {
    // Safe because subjects may be used from any thread by contract (rule 4).
    private struct Membership: @unchecked Sendable {
        let source: SharedConnection<SubjectType>
        let subject: SubjectType
    }

    private let name: String
    private let membership: Locked<Membership?>

    @usableFromInline
    init(_ name: String, source: SharedConnection<SubjectType>, subject: SubjectType) {
        membership = Locked(Membership(source: source, subject: subject))
        self.name = name
        super.init()
    }

    @usableFromInline override var description: String { name }

    /// Notes that the subscriber has got everything. That is no reason to start anew for the next one.
    @usableFromInline
    func stay() {
        _ = membership.withLock { $0.take() }
    }

    @usableFromInline
    override func cancel() {
        let left = membership.withLock { $0.take() }
        super.cancel()
        if let left { left.source.leave(left.subject) }
    }
}
