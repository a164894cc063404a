import Synchronization

/// Makes events from any number of threads serial without blocking a thread: the queue-drain of Reactive Streams.
///
/// A thread that finds the drain idle handles its event at once. Every other thread, and the same thread from inside a
/// callback, adds its event to a queue, which the draining thread empties before it leaves. So the state that events act
/// on belongs to the draining thread alone, events are handled in the order in which they came, and re-entrant calls
/// queue up instead of recursing.
///
/// Entering and leaving without contention is one atomic operation each.
@usableFromInline
package struct SerialDrain<Event>: ~Copyable {
    @usableFromInline let phase = Atomic<DrainPhase>(.idle)
    @usableFromInline let queue = Locked<[Event]>([])

    @inlinable
    package init() {}

    /// Handles an event, now or, while another call is draining, from there.
    ///
    /// - Parameter handle: Called for this event and for all that came in meanwhile, outside any lock.
    /// - Returns: Whether this call has drained.
    @inlinable
    @discardableResult
    package func submit(_ event: Event, _ handle: (Event) -> Void) -> Bool {
        if enter() {
            handle(event)
            leave(handle)
        } else {
            guard enqueue(event) else { return false }
            drain(handle)
        }
        return true
    }

    /// Runs a closure if the drain is idle, and enqueues an event otherwise. Only a closure can return a result.
    ///
    /// - Parameters:
    ///   - body: Called at once if no call is draining.
    ///   - event: The event that does the same.
    ///   - handle: Called for all events that came in meanwhile, outside any lock.
    /// - Returns: The closure's result, nil if the event was enqueued.
    @inlinable
    @discardableResult
    func perform<Result>(
        _ body: () -> Result, orEnqueue event: @autoclosure () -> Event, _ handle: (Event) -> Void
    ) -> Result? {
        var result: Result?
        if enter() {
            result = body()
            leave(handle)
        } else {
            guard enqueue(event()) else { return nil }
            drain(handle)
        }
        return result
    }

    /// Begins to drain if the drain is idle. The caller ends by `leave(_:)`.
    @inlinable
    func enter() -> Bool {
        phase.compareExchange(
            expected: .idle, desired: .draining, successOrdering: .acquiring, failureOrdering: .relaxed
        ).exchanged
    }

    /// Whether no call is draining.
    @inlinable var isIdle: Bool { phase.load(ordering: .relaxed) == .idle }

    /// Whether there may be events in the queue. For the draining thread.
    @inlinable var isContended: Bool { phase.load(ordering: .acquiring) == .contended }

    /// Adds an event to the queue.
    ///
    /// - Returns: Whether the draining thread has left meanwhile, so that the caller has to `drain(_:)`.
    @inlinable
    func enqueue(_ event: Event) -> Bool {
        append(event)
        return phase.exchange(.contended, ordering: .acquiringAndReleasing) == .idle
    }

    /// Adds an event to the queue from the draining thread, which handles it when it leaves.
    @inlinable
    func enqueueWhileDraining(_ event: Event) {
        append(event)
        phase.store(.contended, ordering: .releasing)
    }

    @inlinable
    func append(_ event: Event) {
        queue.withLock { $0.append(event) }
    }

    /// Ends draining, after the events in the queue have been handled.
    @inlinable
    func leave(_ handle: (Event) -> Void) {
        if !tryLeave() { drain(handle) }
    }

    /// Handles the events in the queue until it is empty, and ends draining.
    @inlinable
    func drain(_ handle: (Event) -> Void) {
        var batch: [Event] = []
        repeat { handleQueue(&batch, handle) } while !tryLeave()
    }

    /// Handles the events in the queue. For the draining thread, which then tries to leave.
    ///
    /// - Parameter batch: An empty array, which takes turns with that of the queue, so that the events that come in
    ///   meanwhile cost no allocation. An array that a burst has grown is released.
    @inlinable
    @inline(__always)
    func handleQueue(_ batch: inout [Event], _ handle: (Event) -> Void) {
        if batch.capacity > 64 { batch = [] }
        // Before the queue is taken: a thread that adds to it from now on has to contend again.
        phase.store(.draining, ordering: .sequentiallyConsistent)
        queue.withLock { swap(&$0, &batch) }
        // From the back, as removing the first element moves the others. Each event is released before the next.
        batch.reverse()
        while let event = batch.popLast() { handle(event) }
    }

    @inlinable
    func tryLeave() -> Bool {
        phase.compareExchange(
            expected: .draining, desired: .idle, successOrdering: .releasing, failureOrdering: .acquiring
        ).exchanged
    }
}

/// The phase of a ``SerialDrain``. It is not nested there, so that code which is not specialised knows its layout.
@usableFromInline
enum DrainPhase: UInt8, AtomicRepresentable {
    case idle
    case draining
    /// Draining, and there may be events in the queue.
    case contended
}
