import Dispatch
import StreamsHTTP

/// A scheduler of exchanges, erased over its type.
struct ExchangeScheduler: Sendable {
    private let scheduleNow: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let clock: RequestClock

    /// A scheduler in real time.
    static let realTime = ExchangeScheduler(DispatchQueue.global())

    /// Creates a scheduler that uses another one.
    init<Context: Scheduler & Sendable>(_ scheduler: Context) {
        scheduleNow = { scheduler.schedule($0) }
        clock = RequestClock(scheduler)
    }

    /// Runs an action as soon as possible.
    func schedule(_ action: @escaping @Sendable () -> Void) {
        scheduleNow(action)
    }

    /// Runs an action once, after a delay, unless the result is cancelled before.
    func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable & Sendable {
        clock.schedule(delay, action)
    }
}
