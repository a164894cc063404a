import Synchronization

/// A subject that feeds the subscribers of one connection.
@usableFromInline
protocol ConnectionSubject: Subject {
    /// Whether it has completed. So it is before any subscriber is told.
    var isFinished: Bool { get }
}

extension PassthroughSubject: ConnectionSubject {
    @usableFromInline var isFinished: Bool { core.isFinished.load(ordering: .acquiring) }
}

extension ReplaySubject: ConnectionSubject {
    @usableFromInline var isFinished: Bool { core.isFinished }
}

/// What the subscribers of `share()` and `share(replay:)` have in common: a subject, and the connection that feeds it.
///
/// Both are replaced together when the last subscriber has cancelled before the end, so who comes after that gets
/// nothing of the old connection, neither values nor its completion, not even if the two happen at once.
@usableFromInline
final class SharedSource<SubjectType: ConnectionSubject> {
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
        _ subscriber: S, to upstream: Upstream, as name: OperatorName, makeSubject: () -> SubjectType
    )
    where
        S.Input == SubjectType.Output, S.Failure == SubjectType.Failure,
        Upstream.Output == SubjectType.Output, Upstream.Failure == SubjectType.Failure
    {
        let (subject, isFirst) = join(makeSubject)
        subject.subscribe(
            SharedSubscriber(downstream: subscriber, link: SharedLink(name, source: self, subject: subject)))
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
struct SharedSubscriber<Downstream: Subscriber, SubjectType: ConnectionSubject>: LinkedSubscriber
where Downstream.Input == SubjectType.Output, Downstream.Failure == SubjectType.Failure {
    @usableFromInline let downstream: Downstream
    @usableFromInline let link: SharedLink<SubjectType>

    @inlinable
    init(downstream: Downstream, link: SharedLink<SubjectType>) {
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
        guard link.finish() else { return }
        link.stay()
        downstream.receive(completion: completion)
    }
}

/// A subject's subscription that counts as one subscriber until it is cancelled.
// Safe because what it adds is behind a lock.
@usableFromInline
final class SharedLink<SubjectType: ConnectionSubject>: UpstreamLink, @unchecked Sendable {
    // Safe because subjects may be used from any thread by contract (rule 4).
    private struct Membership: @unchecked Sendable {
        let source: SharedSource<SubjectType>
        let subject: SubjectType
    }

    private let membership: Locked<Membership?>

    @usableFromInline
    init(_ name: OperatorName, source: SharedSource<SubjectType>, subject: SubjectType) {
        membership = Locked(Membership(source: source, subject: subject))
        super.init(name)
    }

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
