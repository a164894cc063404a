import Streams

/// A scheduler whose clock stands still until a test moves it.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let subject = PassthroughSubject<Int, Never>()
/// let recorder = RecordingSubscriber<Int, Never>()
/// subject.delay(for: .seconds(2), scheduler: scheduler).subscribe(recorder)
///
/// subject.send(1)
/// scheduler.advance(by: .seconds(1))   // recorder.values == []
/// scheduler.advance(by: .seconds(1))   // recorder.values == [1]
/// ```
///
/// Nothing runs until the clock is moved, not even work that is due at once; `advance()` without an argument runs that.
/// Work is run in the order of its times, and work due at the same time in the order in which it was scheduled. What
/// was scheduled for the past is due now.
///
/// Everything may be called from any thread, and from inside the work that is being run: work scheduled there runs in
/// the same go if it falls due, and moving the clock there runs what falls due before it returns. When two threads move
/// the clock at once both run work, possibly at the same time, as a concurrent queue does. No lock is held meanwhile.
public final class TestScheduler: Scheduler, Sendable {
    /// There are none.
    public typealias SchedulerOptions = Never

    private enum Work {
        case once(@Sendable () -> Void)
        case repeating(id: Int)
    }

    private struct Repetition {
        let interval: SchedulerTimeType.Stride
        let action: @Sendable () -> Void
    }

    private struct State {
        var now: SchedulerTimeType
        var agenda = Agenda<SchedulerTimeType, Work>()
        var repetitions: [Int: Repetition] = [:]
        var nextID = 0
        var onceCount = 0
        var waiters: [Waiter] = []

        var pendingCount: Int { onceCount + repetitions.count }

        mutating func add(_ action: @escaping @Sendable () -> Void, at date: SchedulerTimeType) {
            agenda.add(.once(action), at: max(date, now))
            onceCount += 1
        }

        /// - Returns: Who has waited for what is pending now.
        mutating func takeSettled() -> [Waiter] {
            guard !waiters.isEmpty else { return [] }
            let count = pendingCount
            let settled = waiters.filter { $0.count == count }
            waiters.removeAll { $0.count == count }
            return settled
        }
    }

    private let state: Locked<State>

    /// - Parameter start: What the clock shows at first.
    public init(now start: SchedulerTimeType = .start) {
        state = Locked(State(now: start))
    }

    public var now: SchedulerTimeType { state.withLock { $0.now } }

    /// Zero: this clock is exact.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    @preconcurrency
    public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
        change { $0.add(action, at: $0.now) }
    }

    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        change { $0.add(action, at: date) }
    }

    /// Runs work at a time, and again after every interval, until the result is cancelled or released, which lets go of
    /// the work at once.
    ///
    /// - Parameters:
    ///   - date: When it runs first.
    ///   - interval: A nanosecond at least; anything less is taken for one, or the clock would never get past it.
    ///   - tolerance: Not used, as this clock is exact.
    ///   - options: There are none.
    ///   - action: The work.
    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        interval: SchedulerTimeType.Stride,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        let repetition = Repetition(interval: max(interval, .nanoseconds(1)), action: action)
        let id = change { state in
            let id = state.nextID
            state.nextID += 1
            state.repetitions[id] = repetition
            state.agenda.add(.repeating(id: id), at: max(date, state.now))
            return id
        }
        return AnyCancellable { [weak self] in self?.endRepetition(id) }
    }

    /// Moves the clock forward, running what falls due on the way, each at its own time.
    ///
    /// - Parameter interval: How far. Zero, the default, runs what is due now.
    public func advance(by interval: SchedulerTimeType.Stride = 0) {
        advance(to: now.advanced(by: interval))
    }

    /// Moves the clock forward to a time, running what falls due on the way, each at its own time.
    ///
    /// - Parameter date: A time in the past leaves the clock alone, and nothing runs.
    public func advance(to date: SchedulerTimeType) {
        while let action = nextAction(through: date) { action() }
        state.withLock { $0.now = max($0.now, date) }
    }

    /// Puts the clock forward at once, and runs then what has fallen due, as happens to a machine that was asleep.
    ///
    /// Nothing that is scheduled meanwhile runs, so a test knows which round of repeated work it is in, whatever other
    /// threads schedule. Work that repeats is run once, and again an interval later.
    ///
    /// - Parameter interval: How far. With zero, what is due now runs.
    public func jump(by interval: SchedulerTimeType.Stride) {
        let (date, end) = change { state in
            state.now = max(state.now, state.now.advanced(by: interval))
            return (state.now, state.agenda.end)
        }
        while let action = nextAction(through: date, before: end) { action() }
    }

    /// Runs everything scheduled, and what that schedules in turn, moving the clock to the time of the last of it.
    ///
    /// - Parameter limit: After how many pieces of work to give up.
    /// - Throws: ``EndlessWork`` if there is still something to do then, as with work that repeats and is not
    ///   cancelled.
    public func run(limit: Int = 100_000) throws(EndlessWork) {
        for _ in 0..<limit {
            guard let action = nextAction(through: .end) else { return }
            action()
        }
        if hasWork { throw EndlessWork(limit: limit) }
    }

    /// Whether anything is scheduled that has been neither run nor cancelled.
    public var hasWork: Bool { pendingCount > 0 }

    /// How many pieces of work are scheduled that have been neither run nor cancelled. One that repeats is among them
    /// until it is cancelled.
    public var pendingCount: Int { state.withLock { $0.pendingCount } }

    /// Waits until there are so many pieces of work, for a test in which other threads schedule.
    ///
    /// ```swift
    /// #expect(await scheduler.wait(forPending: 1))   // the retry has been scheduled
    /// scheduler.advance(by: .seconds(30))
    /// ```
    ///
    /// - Parameters:
    ///   - count: How many, as ``pendingCount`` has it; no more and no fewer.
    ///   - limit: When to give up. It guards against a test that hangs; nothing waits that long when all is well.
    /// - Returns: Whether it happened in time; `false` as soon as the task that waits is cancelled.
    public func wait(forPending count: Int, within limit: Duration = .seconds(120)) async -> Bool {
        let waiter = Waiter(count: count)
        change { $0.waiters.append(waiter) }
        let watchdog = Task {
            try await Task.sleep(for: limit)
            waiter.settle(false)
        }
        defer { watchdog.cancel() }
        return await waiter.outcome
    }

    /// Work went on for longer than ``TestScheduler/run(limit:)`` was told to follow it.
    public struct EndlessWork: Error, CustomStringConvertible {
        /// How many pieces of work were run.
        public let limit: Int

        public var description: String { "there was still work to do after \(limit) pieces of it" }
    }

    /// Takes the next piece of work out and sets the clock to its time.
    ///
    /// - Parameter end: With a jump, the order from which on entries are left alone.
    private func nextAction(through date: SchedulerTimeType, before end: Int? = nil) -> (@Sendable () -> Void)? {
        change { state in
            Self.dropCancelled(&state)
            guard let upcoming = state.agenda.upcoming, upcoming.date <= date, end.map({ upcoming.order < $0 }) ?? true,
                let entry = state.agenda.removeEarliest()
            else { return nil }
            state.now = max(state.now, entry.date)
            switch entry.work {
            case .once(let action):
                state.onceCount -= 1
                return action
            case .repeating(let id):
                guard let repetition = state.repetitions[id] else { return nil }
                // After a jump the times that were missed are left out.
                let base = end == nil ? entry.date : state.now
                state.agenda.add(.repeating(id: id), at: base.advanced(by: repetition.interval))
                return repetition.action
            }
        }
    }

    /// Cancelled repetitions stay on the agenda until they come up: they hold nothing, and must not move the clock.
    private static func dropCancelled(_ state: inout State) {
        while case .repeating(let id) = state.agenda.upcoming?.work, state.repetitions[id] == nil {
            _ = state.agenda.removeEarliest()
        }
    }

    private func endRepetition(_ id: Int) {
        let ended = change { $0.repetitions.removeValue(forKey: id) }
        withExtendedLifetime(ended) {}
    }

    /// Changes the state, and lets those go on who have waited for what is pending then.
    private func change<Result>(_ change: (inout State) -> Result) -> Result {
        let (result, settled) = state.withLock { state in
            let result = change(&state)
            return (result, state.takeSettled())
        }
        for waiter in settled { waiter.settle(true) }
        return result
    }
}
