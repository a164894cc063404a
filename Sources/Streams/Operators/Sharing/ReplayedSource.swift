/// What the subscribers of `share(replay:)` have in common: the subject that keeps the values, and the connection that feeds it.
///
/// Both are replaced together when the last subscriber has cancelled before the end, so who comes after that gets nothing of the
/// old connection, not even if the two happen at once.
@usableFromInline
final class ReplayedSource<Output, Failure: Error> {
    // Safe because subjects and connections may be used from any thread by contract (rule 4).
    private struct State: @unchecked Sendable {
        var subject: ReplaySubject<Output, Failure>?
        var members = 0
        var connection: (any Cancellable)?

        /// Adds a subscriber, if there is something to subscribe to.
        mutating func join() -> ReplaySubject<Output, Failure>? {
            if subject != nil { members += 1 }
            return subject
        }
    }

    private let count: Int
    private let state = Locked(State())

    /// - Parameter count: How many values are kept.
    @usableFromInline
    init(count: Int) {
        self.count = count
    }

    /// Adds a subscriber.
    ///
    /// - Returns: The subject to subscribe to, and whether it is to be connected after that.
    @usableFromInline
    func join() -> (subject: ReplaySubject<Output, Failure>, isFirst: Bool) {
        if let subject = state.withLock({ $0.join() }) { return (subject, false) }
        let fresh = ReplaySubject<Output, Failure>(bufferSize: count)
        return state.withLock { state in
            if let subject = state.join() { return (subject, false) }
            state.subject = fresh
            state.members = 1
            return (fresh, true)
        }
    }

    /// Whether there are subscribers to a subject, or it has completed.
    @usableFromInline
    func isCurrent(_ subject: ReplaySubject<Output, Failure>) -> Bool {
        state.withLock { $0.subject === subject }
    }

    /// Takes in the connection that feeds a subject. It is cancelled if all have left meanwhile.
    @usableFromInline
    func connect(_ connection: any Cancellable, to subject: ReplaySubject<Output, Failure>) {
        let isWanted = state.withLock { state in
            guard state.subject === subject else { return false }
            state.connection = connection
            return true
        }
        if !isWanted { connection.cancel() }
    }

    /// A subscriber has cancelled.
    @usableFromInline
    func leave(_ subject: ReplaySubject<Output, Failure>) {
        let left = state.withLock { state in
            guard state.subject === subject else { return State() }
            state.members -= 1
            guard state.members == 0, !subject.core.isFinished else { return State() }
            return exchange(&state, with: State())
        }
        left.connection?.cancel()
    }
}

/// A subject's subscription that counts as one subscriber until it is cancelled.
// Safe because what it adds is behind a lock.
@usableFromInline
final class ReplayedLink<Output, Failure: Error>: UpstreamLink, @unchecked Sendable {
    // Safe because subjects may be used from any thread by contract (rule 4).
    private struct Membership: @unchecked Sendable {
        let source: ReplayedSource<Output, Failure>
        let subject: ReplaySubject<Output, Failure>
    }

    private let membership: Locked<Membership?>

    @usableFromInline
    init(source: ReplayedSource<Output, Failure>, subject: ReplaySubject<Output, Failure>) {
        membership = Locked(Membership(source: source, subject: subject))
        super.init(.shareReplay)
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
