import Dispatch
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
/// Actions run only when a test moves the clock. `advance()` without an argument runs the actions that are due now.
/// Actions run in the order of their times, and actions for the same time in the order in which they were scheduled. An
/// action scheduled for the past is due now.
///
/// Use ``settle(advancingBy:within:)`` if tasks take part, such as those of interceptors and of `asyncMap`.
///
/// Every method may be called from any thread, and from inside an action. An action scheduled from inside an action
/// runs in the same call if it is due. Two threads that move the clock may run actions at the same time, as a
/// concurrent queue does. No lock is held while an action runs.
public final class TestScheduler: Scheduler, Sendable {
    /// This scheduler has no options.
    public typealias SchedulerOptions = Never

    private struct State {
        var now: SchedulerTimeType
        var actions = Heap<ScheduledAction>()
        /// The number of actions that ``pendingCount`` leaves out.
        var uncounted = 0
        /// The number of actions that have been added, those again that were repeated.
        var addedCount = 0
        var expectations: [CountExpectation] = []
        /// The number of jobs and actions on other threads that have not ended.
        var workCount = 0
        /// The expectations of a work count of zero.
        var idleExpectations: [CountExpectation] = []

        mutating func add(_ action: ScheduledAction, at date: SchedulerTimeType) {
            action.date = max(date, now)
            action.order = addedCount
            addedCount += 1
            actions.insert(action)
            if !action.isCounted { uncounted += 1 }
        }

        mutating func remove(_ action: ScheduledAction) {
            let count = actions.count
            actions.remove(action)
            if !action.isCounted { uncounted -= count - actions.count }
        }

        var pendingCount: Int { actions.count - uncounted }

        /// Removes and returns the expectations that are now met.
        mutating func takeMetExpectations() -> [CountExpectation] {
            guard !expectations.isEmpty else { return [] }
            let count = pendingCount
            let met = expectations.filter { $0.count == count }
            expectations.removeAll { $0.count == count }
            return met
        }
    }

    private let state: Locked<State>

    /// Creates a scheduler with no actions.
    ///
    /// - Parameter start: The time that the clock shows first.
    public init(now start: SchedulerTimeType = .start) {
        state = Locked(State(now: start))
    }

    public var now: SchedulerTimeType { state.withLock { $0.now } }

    /// Zero, because this clock is exact.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    @preconcurrency
    public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
        change { $0.add(ScheduledAction(action), at: $0.now) }
    }

    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        change { $0.add(ScheduledAction(action), at: date) }
    }

    /// Runs an action at a time, and again after every interval.
    ///
    /// - Parameters:
    ///   - date: The time of the first run.
    ///   - interval: The time between two runs, at least one nanosecond. A shorter interval counts as one nanosecond,
    ///     so that the clock moves on.
    ///   - tolerance: Ignored, because this clock is exact.
    ///   - options: Ignored, because this scheduler has none.
    ///   - action: The action.
    /// - Returns: A cancellable that ends the repetition and releases the action when it is cancelled or released.
    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        interval: SchedulerTimeType.Stride,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        let repeated = ScheduledAction(action, every: max(interval, .nanoseconds(1)))
        change { $0.add(repeated, at: date) }
        return cancellable(repeated)
    }

    private func cancellable(_ action: ScheduledAction) -> AnyCancellable {
        AnyCancellable { [weak self, weak action] in
            if let action { self?.remove(action) }
        }
    }

    /// Moves the clock forward by an interval and runs each action that becomes due, at its own time.
    ///
    /// - Parameter interval: The interval. Zero, the default, runs the actions that are due now.
    public func advance(by interval: SchedulerTimeType.Stride = 0) {
        advance(to: now.advanced(by: interval))
    }

    /// Moves the clock forward to a time and runs each action that becomes due, at its own time.
    ///
    /// - Parameter date: The time. A time in the past does nothing.
    public func advance(to date: SchedulerTimeType) {
        while let action = nextAction(through: date) { action() }
        state.withLock { $0.now = max($0.now, date) }
    }

    /// Moves the clock forward in one step and then runs the actions that are due, as after a machine's sleep.
    ///
    /// Actions scheduled during the call don't run, so their number doesn't depend on other threads. A repeated action
    /// runs once, and again an interval later.
    ///
    /// - Parameter interval: The interval. Zero runs the actions that are due now.
    public func jump(by interval: SchedulerTimeType.Stride) {
        let (date, end) = change { state in
            state.now = max(state.now, state.now.advanced(by: interval))
            return (state.now, state.addedCount)
        }
        while let action = nextAction(through: date, before: end) { action() }
    }

    /// Runs all actions, and the actions that they schedule, and moves the clock to the time of the last one.
    ///
    /// - Parameter limit: The largest number of actions to run.
    /// - Throws: ``EndlessWork`` if actions remain after that, for example a repeated action that is not cancelled.
    public func run(limit: Int = 100_000) throws(EndlessWork) {
        for _ in 0..<limit {
            guard let action = nextAction(through: .end) else { return }
            action()
        }
        if hasWork { throw EndlessWork(limit: limit) }
    }

    /// Whether an action is scheduled that has been neither run nor cancelled.
    public var hasWork: Bool { state.withLock { $0.actions.count > 0 } }

    /// The number of scheduled actions that have been neither run nor cancelled.
    ///
    /// A repeated action counts until it is cancelled. The limit of an `HTTPClient` on the time of the body of an error or
    /// a redirect does not count: it is pending only while that body arrives, and would be taken for the delay of the
    /// retry after it.
    public var pendingCount: Int { state.withLock { $0.pendingCount } }

    /// Waits until a number of actions are scheduled, for a test in which other threads schedule actions.
    ///
    /// ```swift
    /// #expect(await scheduler.wait(forPending: 1))   // the retry has been scheduled
    /// scheduler.advance(by: .seconds(30))
    /// ```
    ///
    /// - Parameters:
    ///   - count: The exact value of ``pendingCount`` to wait for.
    ///   - limit: The duration after which to stop waiting. It keeps a failing test from hanging.
    /// - Returns: Whether the number was reached in time. `false` as soon as the waiting task is cancelled.
    public func wait(forPending count: Int, within limit: Duration = .seconds(120)) async -> Bool {
        let expectation = CountExpectation(count: count)
        change { $0.expectations.append(expectation) }
        return await expectation.isMet(within: limit)
    }

    /// Waits until nothing can happen before the clock moves on, and moves it in this way by an interval.
    ///
    /// ```swift
    /// let recorder = RecordingSubscriber<User, HTTPError>()
    /// client.publisher(for: GetUser(id: 7)).subscribe(recorder)     // authorized in a task
    /// await scheduler.settle()                                      // the transport has the request
    /// await scheduler.settle(advancingBy: .seconds(30))
    /// ```
    ///
    /// It runs the actions that are due, waits for the work that is under way on other threads, and repeats both until
    /// there is neither. It then moves the clock to the next action. So work that an action starts ends before the clock
    /// moves, whatever the number of actions on the way.
    ///
    /// The work under way is what this scheduler knows:
    ///
    /// - the tasks that have it as their preferred executor, with their child tasks and the default actors that they call,
    ///   while they are not suspended: `Task(executorPreference: scheduler) { … }`, and
    ///   `asyncMap(executorPreference: scheduler) { … }`;
    /// - of an `HTTPClient` with this scheduler: the calls to interceptors and to the authorization, its renewal of
    ///   credentials, and the delivery of events to subscribers.
    ///
    /// All else is not waited for: other tasks, the main actor and other actors with an executor of their own, queues,
    /// `Task.sleep`, files and sockets. Await their result before you settle.
    ///
    /// - Parameters:
    ///   - interval: The interval. With zero, the default, the clock stands still.
    ///   - limit: The duration after which to stop. It keeps a failing test from hanging.
    /// - Returns: Whether everything has settled within the limit. `false` as soon as the waiting task is cancelled.
    @discardableResult
    public func settle(
        advancingBy interval: SchedulerTimeType.Stride = 0, within limit: Duration = .seconds(120)
    ) async -> Bool {
        let deadline = ContinuousClock.now + limit
        let end = max(now, now.advanced(by: interval))
        while await isIdle(before: deadline) {
            // One action after the other, so that the work of each ends before the next.
            if let action = nextAction(through: end) {
                action()
            } else {
                state.withLock { $0.now = max($0.now, end) }
                return true
            }
        }
        return false
    }

    /// Waits until no work is under way on other threads.
    ///
    /// - Returns: Whether that was so before the deadline.
    private func isIdle(before deadline: ContinuousClock.Instant) async -> Bool {
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero, !Task.isCancelled else { return false }
        let expectation = state.withLock { state -> CountExpectation? in
            guard state.workCount > 0 else { return nil }
            let expectation = CountExpectation(count: 0)
            state.idleExpectations.append(expectation)
            return expectation
        }
        return await expectation?.isMet(within: left) ?? true
    }

    private func beginWork() {
        state.withLock { $0.workCount += 1 }
    }

    private func endWork() {
        let met = state.withLock { state in
            state.workCount -= 1
            guard state.workCount == 0 else { return [CountExpectation]() }
            defer { state.idleExpectations = [] }
            return state.idleExpectations
        }
        for expectation in met { expectation.resolve(true) }
    }

    /// An error that ``TestScheduler/run(limit:)`` throws when actions remain after its limit.
    public struct EndlessWork: Error, CustomStringConvertible {
        /// The number of actions that were run.
        public let limit: Int

        public var description: String { "there was still work to do after \(limit) pieces of it" }
    }

    /// Removes the next action and sets the clock to its time.
    ///
    /// - Parameter end: In a jump, the order of the first action that was added after the jump began.
    private func nextAction(through date: SchedulerTimeType, before end: Int? = nil) -> (@Sendable () -> Void)? {
        change { state in
            guard let first = state.actions.first, first.date <= date, end.map({ first.order < $0 }) ?? true
            else { return nil }
            state.remove(first)
            state.now = max(state.now, first.date)
            if let interval = first.interval {
                // A jump skips the times that it passes.
                let base = end == nil ? first.date : state.now
                state.add(first, at: base.advanced(by: interval))
            }
            return first.action
        }
    }

    private func remove(_ action: ScheduledAction) {
        change { $0.remove(action) }
    }

    /// Changes the state and resumes the tasks that wait for the new number of pending actions.
    private func change<Result>(_ change: (inout State) -> Result) -> Result {
        let (result, met) = state.withLock { state in
            let result = change(&state)
            return (result, state.takeMetExpectations())
        }
        for expectation in met { expectation.resolve(true) }
        return result
    }
}

extension TestScheduler: TaskExecutor, WorkTracking {
    /// Runs a job of a task on a system thread, at once. ``settle(advancingBy:within:)`` waits for the end of the job.
    ///
    /// The concurrency runtime calls this for tasks that prefer this executor. Time does not affect them.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        runConcurrently { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    package func runConcurrently(_ action: @escaping @Sendable () -> Void) {
        beginWork()
        DispatchQueue.global().async { [self] in
            action()
            endWork()
        }
    }

    package func scheduleUncounted(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable & Sendable {
        let (seconds, attoseconds) = delay.components
        let interval =
            SchedulerTimeType.Stride.seconds(Int(clamping: seconds))
            + .nanoseconds(Int(attoseconds / 1_000_000_000))
        let scheduled = ScheduledAction(action, isCounted: false)
        change { $0.add(scheduled, at: $0.now.advanced(by: interval)) }
        return cancellable(scheduled)
    }
}

/// An action of a scheduler. Those for the same time are in the order in which they were added.
// Safe because the lock of the scheduler guards the mutable state.
private final class ScheduledAction: HeapMember, @unchecked Sendable {
    let action: @Sendable () -> Void
    /// The time between two runs; `nil` for an action that runs once.
    let interval: TestScheduler.SchedulerTimeType.Stride?
    /// Whether the action is one of the pending ones that a test counts.
    let isCounted: Bool
    var date = TestScheduler.SchedulerTimeType.start
    var order = 0
    var place = -1

    init(
        _ action: @escaping @Sendable () -> Void, every interval: TestScheduler.SchedulerTimeType.Stride? = nil,
        isCounted: Bool = true
    ) {
        self.action = action
        self.interval = interval
        self.isCounted = isCounted
    }

    func precedes(_ other: ScheduledAction) -> Bool {
        date == other.date ? order < other.order : date < other.date
    }
}
