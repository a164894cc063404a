import Synchronization

/// Makes events from any number of threads serial, without ever making a thread wait.
///
/// Whoever finds the signals idle becomes its owner, handles its event directly and leaves. Everybody else, other
/// threads and the owner itself from inside a callback, puts events into the backlog, which the owner works off before
/// it leaves. So the state that events act on belongs to the owner alone, events are handled in the order they came in,
/// and re-entrant calls queue instead of recursing.
///
/// The order of events submitted by one thread is kept. Entering and leaving without contention is one atomic exchange
/// each.
@usableFromInline
struct SerialDrain<Event>: ~Copyable {
    @usableFromInline
    enum Ownership: UInt8, AtomicRepresentable {
        case idle
        case owned
        /// Owned, and events may be in the backlog.
        case contended
    }

    @usableFromInline let ownership = Atomic<Ownership>(.idle)
    @usableFromInline let backlog = Locked<[Event]>([])

    @inlinable
    init() {}

    /// Handles an event, now or, if the signals is owned, by its owner later.
    ///
    /// - Parameter handle: Called for this event and all that came in meanwhile, outside any lock.
    /// - Returns: Whether it was handled here. If not, the event is the owner's affair, and so is what comes after it.
    @inlinable
    @discardableResult
    func submit(_ event: Event, _ handle: (Event) -> Void) -> Bool {
        if enter() {
            handle(event)
            leave(handle)
        } else {
            guard enqueue(event) else { return false }
            drain(handle)
        }
        return true
    }

    /// Becomes the owner if there is none. An owner ends by `leave(_:)`.
    @inlinable
    func enter() -> Bool {
        ownership.compareExchange(
            expected: .idle, desired: .owned, successOrdering: .acquiring, failureOrdering: .relaxed
        ).exchanged
    }

    /// Whether there may be a backlog. For the owner.
    @inlinable var isContended: Bool { ownership.load(ordering: .acquiring) == .contended }

    /// Adds an event to the backlog, for those who could not enter.
    ///
    /// - Returns: Whether the owner has left meanwhile, which makes the caller the owner, who has to `drain(_:)`.
    @inlinable
    func enqueue(_ event: Event) -> Bool {
        append(event)
        return claimBacklog()
    }

    /// Adds an event to the backlog as the owner, who handles it when it leaves.
    @inlinable
    func enqueueAsOwner(_ event: Event) {
        append(event)
        ownership.store(.contended, ordering: .releasing)
    }

    /// Adds an event to the backlog, and leaves it to the caller to see to it that somebody drains that.
    @inlinable
    func append(_ event: Event) {
        backlog.withLock { $0.append(event) }
    }

    /// Has the owner look at the backlog once more before it leaves, or becomes the owner if there is none.
    ///
    /// - Returns: Whether the caller is the owner now, who has to `drain(_:)`.
    @inlinable
    func claimBacklog() -> Bool {
        ownership.exchange(.contended, ordering: .acquiringAndReleasing) == .idle
    }

    /// Gives ownership up, after handling the backlog.
    @inlinable
    func leave(_ handle: (Event) -> Void) {
        if !tryLeave() { drain(handle) }
    }

    /// Handles the backlog until it is empty, and gives ownership up.
    @inlinable
    func drain(_ handle: (Event) -> Void) {
        repeat {
            // Before the backlog is taken: who adds to it from now on must make ownership contended again.
            ownership.store(.owned, ordering: .sequentiallyConsistent)
            var batch = backlog.withLock { exchange(&$0, with: []) }
            // From the back, as taking from the front moves the rest; an event is let go of before the next one is
            // handled.
            batch.reverse()
            while let event = batch.popLast() { handle(event) }
        } while !tryLeave()
    }

    @inlinable
    func tryLeave() -> Bool {
        ownership.compareExchange(
            expected: .owned, desired: .idle, successOrdering: .releasing, failureOrdering: .acquiring
        ).exchanged
    }
}
