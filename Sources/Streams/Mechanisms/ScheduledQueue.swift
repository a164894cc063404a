import Synchronization

/// The half of a delivering operator that faces downstream, and knows it.
@usableFromInline
protocol ScheduledReceiver: AnyObject {
    associatedtype Entry

    /// When an entry is to be delivered; `Void` if it is as soon as possible.
    associatedtype Date

    static func date(of entry: borrowing Entry) -> Date

    /// A job begins, or goes on after it was to end.
    func jobBegins()

    /// Whether this job may deliver an entry of a date.
    func isDue(_ date: Date) -> Bool

    /// Delivers an entry downstream.
    func deliver(_ entry: consuming Entry)

    /// Has the scheduler run the link's job.
    func scheduleJob(at date: Date)
}

/// What has no date is due at once.
extension ScheduledReceiver where Date == Void {
    @inlinable
    static func date(of entry: borrowing Entry) {}

    @inlinable
    func jobBegins() {}

    @inlinable
    func isDue(_ date: Void) -> Bool { true }
}

/// The subscription of operators that deliver on a scheduler: it holds what has arrived and is still to be delivered.
///
/// At most one job is scheduled or running at a time, so what it delivers is in order even where jobs run concurrently
/// (rule 7). The job holds this link and nothing else, and this link holds the relay, which knows the downstream, only
/// as long as there is something to deliver: cancellation frees everything at once, however late the job comes (rule
/// 6).
///
/// An entry costs its producer one lock, and the job one for as many entries as have come in since its last.
@usableFromInline
// Safe because what changes is atomic or behind the lock.
class ScheduledQueue<Relay: ScheduledReceiver>: UpstreamLink, @unchecked Sendable {
    @usableFromInline typealias Entries = RingBuffer<Relay.Entry>

    /// What a job that has its successor scheduled and the successor tell each other.
    @usableFromInline
    enum Handover {
        case none
        /// The successor is being scheduled.
        case offered
        /// The successor came before the job had ended, and left its work to it: a scheduler that runs work at once
        /// would otherwise have them pile up on the stack (rule 5).
        case returned
    }

    @usableFromInline
    struct State {
        @usableFromInline var entries = Entries()
        /// An empty buffer to exchange for the entries.
        @usableFromInline var spare = Entries()
        /// There is one exactly while a job is scheduled, running, or not to be scheduled yet.
        @usableFromInline var relay: Relay?
        @usableFromInline var handover = Handover.none
        @usableFromInline var isCancelled = false
        /// Whether the completion is among the entries or has been delivered, or the downstream has cancelled.
        @usableFromInline var isClosed = false

        @inlinable
        init() {}

        @inlinable var firstDate: Relay.Date? { entries.first.map { Relay.date(of: $0) } }
    }

    private final let name: String
    @usableFromInline final let pending = Locked(State())
    @usableFromInline final let cancelled = Atomic<Bool>(false)

    /// After so many entries a job ends and has another one scheduled, so that others get their turn.
    @inlinable static var entriesPerJob: Int { 512 }

    @usableFromInline
    init(_ name: String) {
        self.name = name
        super.init()
    }

    @usableFromInline override var description: String { name }

    /// Whether the downstream has cancelled. The upstream may have completed before, with entries still to be
    /// delivered.
    @inlinable final var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Adds an entry, and has a job scheduled if there is none.
    @inlinable
    final func add(_ entry: consuming Relay.Entry, isLast: Bool = false, for relay: Relay) {
        let date = Relay.date(of: entry)
        if append(entry, isLast: isLast, for: relay) { relay.scheduleJob(at: date) }
    }

    /// Adds an entry.
    ///
    /// - Parameter isLast: Whether none is accepted after it.
    /// - Returns: Whether the caller is to see to it that a job runs.
    @inlinable
    final func append(_ entry: consuming Relay.Entry, isLast: Bool, for relay: Relay) -> Bool {
        // The closure may run once only, which the compiler cannot know.
        var entry = Optional(entry)
        return pending.withLock { pending in
            guard !pending.isClosed, let taken = entry.take() else { return false }
            pending.isClosed = isLast
            pending.entries.append(taken)
            if pending.relay != nil { return false }
            pending.relay = relay
            return true
        }
    }

    /// Runs something that delivers to the downstream on this thread, and keeps jobs waiting meanwhile.
    @inlinable
    final func holdingJobs(of relay: Relay, _ body: () -> Void) {
        pending.withLock { pending in
            if !pending.isCancelled { pending.relay = relay }
        }
        body()
        let date = pending.withLock { pending in
            // The caller still holds the relay: this releases nothing.
            if pending.entries.isEmpty { pending.relay = nil }
            return pending.firstDate
        }
        if let date { relay.scheduleJob(at: date) }
    }

    /// The job: delivers what there is.
    @inlinable
    final func runJob() {
        guard let (relay, spare) = beginJob() else { return }
        var batch = spare
        while deliver(&batch, through: relay), let date = offerHandover(of: &batch) {
            relay.scheduleJob(at: date)
            if !isHandedBack() { return }
        }
    }

    @inlinable
    final func beginJob() -> (relay: Relay, spare: Entries)? {
        pending.withLock { pending in
            guard pending.handover == .none else {
                pending.handover = .returned
                return nil
            }
            guard let relay = pending.relay else { return nil }
            var spare = Entries()
            swap(&spare, &pending.spare)
            return (relay, spare)
        }
    }

    /// Delivers what is due, up to the limit of one job.
    ///
    /// - Returns: Whether another job is needed, for what is left in the batch.
    @inlinable
    final func deliver(_ batch: inout Entries, through relay: Relay) -> Bool {
        relay.jobBegins()
        var remaining = Self.entriesPerJob
        while takeEntries(&batch) {
            while let entry = batch.first {
                if isCancelled { return false }
                if remaining == 0 || !relay.isDue(Relay.date(of: entry)) { return true }
                remaining -= 1
                if let entry = batch.popFirst() { relay.deliver(entry) }
            }
        }
        return false
    }

    /// Exchanges an emptied batch for the entries that are there. If there are none, the job is over.
    @inlinable
    final func takeEntries(_ batch: inout Entries) -> Bool {
        let released = pending.withLock { pending -> Relay? in
            swap(&pending.entries, &batch)
            if !batch.isEmpty { return nil }
            swap(&pending.spare, &batch)
            return pending.relay.take()
        }
        withExtendedLifetime(released) {}
        return !batch.isEmpty
    }

    /// Puts what is left of a batch back, in front of what has come in meanwhile, where cancellation can drop it.
    ///
    /// - Returns: When the next job is due. Nil after cancellation.
    @inlinable
    final func offerHandover(of batch: inout Entries) -> Relay.Date? {
        pending.withLock { pending in
            guard !pending.isCancelled else { return nil }
            swap(&pending.entries, &batch)
            while let entry = batch.popFirst() { pending.entries.append(entry) }
            swap(&pending.spare, &batch)
            pending.handover = .offered
            return pending.firstDate
        }
    }

    /// Whether the scheduled successor has come already and left its work to this job.
    @inlinable
    final func isHandedBack() -> Bool {
        pending.withLock { pending in
            let isHandedBack = pending.handover == .returned
            pending.handover = .none
            return isHandedBack
        }
    }

    /// Cancels the upstream and drops what has not been delivered.
    @usableFromInline
    override func cancel() {
        cancelled.store(true, ordering: .relaxed)
        let dropped = pending.withLock { pending in
            let before = pending
            pending = State()
            pending.isCancelled = true
            pending.isClosed = true
            return before
        }
        super.cancel()
        withExtendedLifetime(dropped) {}
    }
}

/// A value or a completion, on its way to another thread.
@usableFromInline
enum Signal<Input, Failure: Error> {
    case value(Input)
    case completion(Subscribers.Completion<Failure>)

    /// Delivers this, and passes the demand returned for a value on.
    @inlinable
    consuming func deliver<Downstream: Subscriber>(to downstream: Downstream, demandGoesTo link: UpstreamLink)
    where Downstream.Input == Input, Downstream.Failure == Failure {
        switch self {
        case .value(let value):
            let additional = downstream.receive(value)
            if additional > .none { link.request(additional) }
        case .completion(let completion):
            downstream.receive(completion: completion)
        }
    }
}

/// A closure for a scheduler to run, which an operator vouches for.
///
/// A `@Sendable` closure made in a generic context would have to carry the types of it along, which need not be
/// `Sendable`. This one hides them, and is still specialised for them.
@usableFromInline
struct ScheduledWork {
    /// The same with a type that says so. It looks alike in memory, since being sendable is a matter of types only.
    @usableFromInline
    struct Vouched {
        @usableFromInline let run: @Sendable () -> Void
    }

    @usableFromInline let run: () -> Void

    @inlinable
    init(_ run: @escaping () -> Void) {
        self.run = run
    }

    // Safe because operators give schedulers only objects that may be used from any thread, or that nobody else uses
    // any more.
    @inlinable var vouched: Vouched { unsafeBitCast(self, to: Vouched.self) }
}

extension Scheduler {
    /// Runs work as soon as possible.
    @inlinable
    func schedule(_ work: ScheduledWork, options: SchedulerOptions?) {
        schedule(options: options, work.vouched.run)
    }

    /// Runs work at a time or soon after it.
    @inlinable
    func schedule(
        _ work: ScheduledWork, after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?
    ) {
        schedule(after: date, tolerance: tolerance, options: options, work.vouched.run)
    }

    /// Runs work at a time, and again after every interval, until the result is cancelled.
    @inlinable
    func schedule(
        _ work: ScheduledWork, after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
        options: SchedulerOptions?
    ) -> any Cancellable {
        schedule(after: date, interval: interval, tolerance: minimumTolerance, options: options, work.vouched.run)
    }
}
