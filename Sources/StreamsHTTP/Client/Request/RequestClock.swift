import Dispatch

/// A clock for requests, and the timers for their retries and deadlines.
package struct RequestClock: Sendable {
    private let start: @Sendable (Duration, @escaping @Sendable () -> Void) -> any Cancellable & Sendable
    /// Returns the time since the clock was created. Calls a scheduler, which may be user code.
    private let elapsed: @Sendable () -> Duration
    /// The scheduler, if it waits for the work of other threads.
    private let workTracker: (any WorkTracking)?
    private let creationDate = Date()

    /// Creates a clock that waits on a scheduler.
    package init<Context: Scheduler & Sendable>(_ scheduler: Context) {
        workTracker = scheduler as? any WorkTracking
        if let queue = scheduler as? DispatchQueue {
            let timers = TimerQueue(queue)
            start = { timers.schedule(after: .nanoseconds(Int(clamping: $0.wholeNanoseconds)), $1) }
            // The same time, without a search for the number of nanoseconds.
            let birth = DispatchTime.now().uptimeNanoseconds
            elapsed = { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds - birth)) }
        } else {
            start = { Self.schedule($1, after: $0, on: scheduler) }
            // Safe because the time is immutable.
            nonisolated(unsafe) let birth = scheduler.now
            elapsed = { .nanoseconds(birth.distance(to: scheduler.now).wholeNanoseconds) }
        }
    }

    /// Schedules an action of its own for each timer, so that tests see how many there are.
    private static func schedule<Context: Scheduler & Sendable>(
        _ action: @escaping @Sendable () -> Void, after delay: Duration, on scheduler: Context
    ) -> any Cancellable & Sendable {
        let timer = OneShotTimer()
        let delay = Context.SchedulerTimeType.Stride.nanoseconds(Int(clamping: delay.wholeNanoseconds))
        let due = scheduler.now.advanced(by: delay)
        // A repeating action, because only repeating actions can be cancelled.
        let scheduled = scheduler.schedule(
            after: due, interval: .seconds(farAway), tolerance: scheduler.minimumTolerance, options: nil
        ) { [weak timer] in
            if timer?.fire() == true { action() }
        }
        timer.arm(scheduled)
        return timer
    }

    /// The time since the clock was created.
    var now: Duration { elapsed() }

    /// The date, for dates of servers. In virtual time, it moves with the scheduler's time only.
    var date: Date {
        workTracker == nil ? Date() : creationDate.addingTimeInterval(now / .seconds(1))
    }

    /// Runs an action once, after a delay, unless the result is cancelled before. Releases the action after that.
    package func schedule(_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> any Cancellable & Sendable {
        start(delay, action)
    }

    /// Runs an action once if work under way has not ended in time, unless the result is cancelled or released before.
    ///
    /// The timer is pending only while that work goes on, on whatever thread. So in virtual time it is not counted: a
    /// test that waits for the delay after the work would take it for that.
    func scheduleLimit(
        _ limit: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable & Sendable {
        workTracker?.scheduleUncounted(after: limit, action) ?? schedule(limit, action)
    }

    /// The preferred executor of the client's tasks; `nil` for the global pool.
    var taskExecutor: (any TaskExecutor)? { workTracker }

    /// Runs an action on a system thread.
    func runConcurrently(_ action: @escaping @Sendable () -> Void) {
        if let workTracker {
            workTracker.runConcurrently(action)
        } else {
            DispatchQueue.global().async(execute: action)
        }
    }

    private static let farAway = 86_400 * 365
}

extension SchedulerTimeIntervalConvertible where Self: Comparable {
    /// The interval in nanoseconds, rounded down; zero if it is negative. A scheduler creates intervals from numbers
    /// but has no inverse, so this searches for the number.
    fileprivate var wholeNanoseconds: Int64 {
        var (low, high) = (0, 1)
        while high < Int.max / 2, .nanoseconds(high) <= self { (low, high) = (high, high * 2) }
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if .nanoseconds(middle) <= self { low = middle } else { high = middle }
        }
        return Int64(low)
    }
}

/// A timer that fires once and can be cancelled from any thread.
// Safe because a lock guards the scheduled action, which is cancelled outside of it.
final class OneShotTimer: Cancellable, @unchecked Sendable {

    private struct State {
        var scheduled: (any Cancellable)?
        var isOver = false
    }

    private let state = Locked(State())

    /// Stores the scheduled action, or cancels it if the timer has fired or been cancelled already.
    func arm(_ scheduled: any Cancellable) {
        let isOver = state.withLock { state in
            if !state.isOver { state.scheduled = scheduled }
            return state.isOver
        }
        if isOver { scheduled.cancel() }
    }

    /// - Returns: Whether the timer had neither fired nor been cancelled before.
    func fire() -> Bool {
        finish()
    }

    func cancel() {
        _ = finish()
    }

    private func finish() -> Bool {
        let (wasOver, scheduled) = state.withLock { state in
            defer { state = State(scheduled: nil, isOver: true) }
            return (state.isOver, state.scheduled)
        }
        scheduled?.cancel()
        return !wasOver
    }
}
