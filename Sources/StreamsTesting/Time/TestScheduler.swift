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
/// Nothing runs until the clock is moved, not even work that is due at once; `advance()` without an argument runs that. Work
/// is run in the order of its times, and work due at the same time in the order in which it was scheduled. What was scheduled for
/// the past is due now.
///
/// Everything may be called from any thread, and from inside the work that is being run: work scheduled there runs in the
/// same go if it falls due, and moving the clock there runs what falls due before it returns. When two threads move the clock
/// at once both run work, possibly at the same time, as a concurrent queue does. No lock is held meanwhile.
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
        state.withLock { $0.agenda.add(.once(action), at: $0.now) }
    }

    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        state.withLock { $0.agenda.add(.once(action), at: max(date, $0.now)) }
    }

    /// Runs work at a time, and again after every interval, until the result is cancelled or released, which lets go of the
    /// work at once.
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
        let id = state.withLock { state in
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

    /// Runs everything scheduled, and what that schedules in turn, moving the clock to the time of the last of it.
    ///
    /// - Parameter limit: After how many pieces of work to give up.
    /// - Throws: ``EndlessWork`` if there is still something to do then, as with work that repeats and is not cancelled.
    public func run(limit: Int = 100_000) throws(EndlessWork) {
        for _ in 0..<limit {
            guard let action = nextAction(through: .end) else { return }
            action()
        }
        if hasWork { throw EndlessWork(limit: limit) }
    }

    /// Whether anything is scheduled that has been neither run nor cancelled.
    public var hasWork: Bool {
        state.withLock { state in
            Self.dropCancelled(&state)
            return state.agenda.earliest != nil
        }
    }

    /// Work went on for longer than ``TestScheduler/run(limit:)`` was told to follow it.
    public struct EndlessWork: Error, CustomStringConvertible {
        /// How many pieces of work were run.
        public let limit: Int

        public var description: String { "there was still work to do after \(limit) pieces of it" }
    }

    /// Takes the next piece of work out and sets the clock to its time.
    private func nextAction(through date: SchedulerTimeType) -> (@Sendable () -> Void)? {
        state.withLock { state in
            Self.dropCancelled(&state)
            guard let earliest = state.agenda.earliest, earliest <= date,
                let entry = state.agenda.removeEarliest()
            else { return nil }
            state.now = max(state.now, entry.date)
            switch entry.work {
            case .once(let action):
                return action
            case .repeating(let id):
                guard let repetition = state.repetitions[id] else { return nil }
                state.agenda.add(.repeating(id: id), at: entry.date.advanced(by: repetition.interval))
                return repetition.action
            }
        }
    }

    /// Cancelled repetitions stay on the agenda until they come up: they hold nothing, and must not move the clock.
    private static func dropCancelled(_ state: inout State) {
        while case .repeating(let id) = state.agenda.upcoming, state.repetitions[id] == nil {
            _ = state.agenda.removeEarliest()
        }
    }

    private func endRepetition(_ id: Int) {
        let ended = state.withLock { $0.repetitions.removeValue(forKey: id) }
        withExtendedLifetime(ended) {}
    }
}
