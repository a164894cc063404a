import Synchronization

/// Delivers signals to a subscriber on a scheduler, in order: `receive(on:)`, `delay`, `debounce`, `throttle`,
/// `sample(every:)`, `timeout` and `collect(.byTime)` use it.
///
/// The upstream's thread adds entries, and so do timers. A job that runs on the scheduler delivers them. At most one
/// job is scheduled or running at a time, so a concurrent scheduler keeps the order too (rule 7). A job that has
/// delivered 512 entries ends and schedules its successor, so that other work gets its turn.
///
/// The job holds the queue, and the queue holds the subscriber only while there is something to deliver. So
/// cancellation frees subscriber and entries at once, however late the job runs (rule 6).
///
/// The state is guarded by the lock, which is held once for each entry added and once for each batch that a job takes.
/// A batch belongs to the running job.
@usableFromInline
final class ScheduledQueue<Receiver: ScheduledReceiver>: ScheduledJob, @unchecked Sendable {
    // Safe because the state is guarded by the lock, and the rest is atomic.
    @usableFromInline typealias Entries = RingBuffer<Receiver.Entry>

    @usableFromInline
    struct State {
        @usableFromInline var entries = Entries()
        /// An emptied buffer, to be exchanged for the entries.
        @usableFromInline var spare = Entries()
        /// The subscriber, exactly while a job is scheduled, running or deferred.
        @usableFromInline var receiver: Receiver?
        /// Whether the running job is scheduling its successor. A flag under the lock, which each job takes anyway: a
        /// ``Trampoline`` would cost each job two atomic operations.
        @usableFromInline var isSchedulingSuccessor = false
        /// Whether the successor began while it was being scheduled, and left its work to the running job. On a
        /// scheduler that runs work at once, jobs would nest on the stack otherwise (rule 5).
        @usableFromInline var hasSuccessorReturned = false
        /// Whether no more entries are accepted, after the completion or the cancellation.
        @usableFromInline var isClosed = false

        @inlinable
        init() {}
    }

    @usableFromInline let state = Locked(State())
    @usableFromInline let cancelled = Atomic<Bool>(false)

    /// The demand of the requests that are withheld while the subscriber receives its subscription.
    @usableFromInline let withheldDemand = AtomicDemand(isWithheld: true)

    /// The number of entries that one job delivers at most.
    @inlinable static var entriesPerJob: Int { 512 }

    @inlinable
    init() {
        super.init { job in unsafeDowncast(job, to: ScheduledQueue.self).run() }
    }

    @inlinable var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Adds an entry, and schedules a job if there is none.
    @inlinable
    func add(_ entry: Receiver.Entry, isLast: Bool = false, for receiver: Receiver) {
        if append(entry, isLast: isLast, for: receiver) { receiver.scheduleJob(for: entry) }
    }

    /// Adds an entry.
    ///
    /// - Parameter isLast: Whether the queue accepts no more entries after this one.
    /// - Returns: Whether there is no job, so that the caller has to schedule or run one.
    @inlinable
    func append(_ entry: Receiver.Entry, isLast: Bool = false, for receiver: Receiver) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.isClosed = isLast
            state.entries.append(entry)
            if state.receiver != nil { return false }
            state.receiver = receiver
            return true
        }
    }

    /// Withholds a request until `deferringJobs(for:_:)` has returned. Until then nothing is delivered, and a source
    /// that emits from inside `request` would fill the queue.
    ///
    /// - Returns: Whether the request is withheld. Otherwise the caller passes it on.
    @inlinable
    func withholds(_ demand: Subscribers.Demand) -> Bool {
        withheldDemand.reading.isWithheld
            && withheldDemand.update { $0.isWithheld ? $0.adding(demand) : $0 }.old.isWithheld
    }

    /// Runs a closure that calls the subscriber on this thread. Jobs are scheduled, and the requests that were withheld
    /// are passed on, only after it has returned.
    @inlinable
    func deferringJobs(for receiver: Receiver, _ body: () -> Void) {
        state.withLock { state in
            if !isCancelled { state.receiver = receiver }
        }
        body()
        let first = state.withLock { state in
            // The caller still holds the subscriber: this releases nothing.
            if state.entries.isEmpty { state.receiver = nil }
            return state.entries.first
        }
        if let first { receiver.scheduleJob(for: first) }
        let withheld = withheldDemand.release()
        if withheld.hasDemand { receiver.link.upstream?.request(withheld.demand) }
    }

    /// Delivers the entries. This is the job: call it on the scheduler.
    @inlinable
    func run() {
        guard case (let receiver, var batch)? = begin() else { return }
        while deliver(&batch, to: receiver), let first = putBack(&batch) {
            receiver.scheduleJob(for: first)
            if !takeReturnedWork() { return }
        }
    }

    /// Takes the subscriber and a batch, unless the running job goes on instead.
    @inlinable
    func begin() -> (receiver: Receiver, batch: Entries)? {
        state.withLock { state in
            guard !state.isSchedulingSuccessor else {
                state.hasSuccessorReturned = true
                return nil
            }
            guard let receiver = state.receiver else { return nil }
            return (receiver, exchange(&state.entries, with: exchange(&state.spare, with: Entries())))
        }
    }

    /// Delivers the entries that are due, up to the limit of one job.
    ///
    /// - Returns: Whether a successor is needed for the rest of the batch.
    @inlinable
    func deliver(_ batch: inout Entries, to receiver: Receiver) -> Bool {
        var remaining = Self.entriesPerJob
        repeat {
            while let first = batch.first {
                if isCancelled { return false }
                if remaining == 0 || !receiver.isDue(first) { return true }
                remaining -= 1
                if let entry = batch.popFirst() { receiver.deliver(entry) }
            }
        } while takeEntries(&batch)
        return false
    }

    /// Exchanges an emptied batch for the entries in the queue. The job ends if there are none.
    @inlinable
    func takeEntries(_ batch: inout Entries) -> Bool {
        let released = state.withLock { state -> Receiver? in
            swap(&state.entries, &batch)
            if !batch.isEmpty { return nil }
            swap(&state.spare, &batch)
            return state.receiver.take()
        }
        withExtendedLifetime(released) {}
        return !batch.isEmpty
    }

    /// Puts the rest of a batch back in front of the entries that have come meanwhile, so that cancellation drops it.
    ///
    /// - Returns: The first entry, for which the successor is to be scheduled. Nil after cancellation.
    @inlinable
    func putBack(_ batch: inout Entries) -> Receiver.Entry? {
        state.withLock { state in
            guard !isCancelled else { return nil }
            swap(&state.entries, &batch)
            while let entry = batch.popFirst() { state.entries.append(entry) }
            swap(&state.spare, &batch)
            state.isSchedulingSuccessor = true
            return state.entries.first
        }
    }

    /// Ends scheduling the successor.
    ///
    /// - Returns: Whether the successor has left its work to this job.
    @inlinable
    func takeReturnedWork() -> Bool {
        state.withLock { state in
            state.isSchedulingSuccessor = false
            return exchange(&state.hasSuccessorReturned, with: false)
        }
    }

    /// Releases the subscriber and everything that has not been delivered.
    @usableFromInline
    func cancel() {
        cancelled.store(true, ordering: .relaxed)
        let dropped = state.withLock { state in
            let dropped = exchange(&state, with: State())
            state.isClosed = true
            return dropped
        }
        withExtendedLifetime(dropped) {}
    }
}

/// The subscriber of an operator that delivers on a scheduler.
@usableFromInline
protocol ScheduledReceiver: LinkedSubscriber, AnyObject {
    associatedtype Entry = Signal<Downstream.Input, Downstream.Failure>

    /// Whether the running job may deliver an entry.
    func isDue(_ entry: Entry) -> Bool

    /// Delivers an entry downstream.
    func deliver(_ entry: Entry)

    /// Has the scheduler run the queue, as soon as an entry is due.
    func scheduleJob(for entry: Entry)
}

extension ScheduledReceiver where Entry == Signal<Downstream.Input, Downstream.Failure> {
    @inlinable
    func isDue(_ entry: Entry) -> Bool { true }

    @inlinable
    func deliver(_ entry: Entry) {
        deliverSignal(entry)
    }
}

extension ScheduledReceiver {
    /// Delivers a signal downstream, and requests what the subscriber returns for a value.
    @inlinable
    func deliverSignal(_ signal: Signal<Downstream.Input, Downstream.Failure>) {
        switch signal {
        case .value(let value):
            let additional = downstream.receive(value)
            if additional > .none { link.request(additional) }
        case .completion(let completion):
            downstream.receive(completion: completion)
        }
    }
}

/// A value or a completion.
@usableFromInline
enum Signal<Input, Failure: Error> {
    case value(Input)
    case completion(Subscribers.Completion<Failure>)
}

/// A job that an operator has a scheduler run.
///
/// Schedulers take `@Sendable` closures. A closure in a generic operator captures the operator's types, which need not
/// be `Sendable`. A job hides them: the scheduler's closure captures the job alone, and needs no allocation for that.
@usableFromInline
class ScheduledJob: @unchecked Sendable {
    // Safe because operators schedule only work on objects that any thread may use, or that no other thread uses.
    @usableFromInline final let perform: (ScheduledJob) -> Void

    /// - Parameter perform: A closure that does the work. It receives the job, so that a subclass need not capture it.
    @inlinable
    init(_ perform: @escaping (ScheduledJob) -> Void) {
        self.perform = perform
    }

    /// The closure for the scheduler.
    @inlinable final var action: @Sendable () -> Void { { [self] in perform(self) } }
}
