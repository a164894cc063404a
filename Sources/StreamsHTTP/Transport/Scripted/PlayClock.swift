import Dispatch

/// How exchanges without a network wait.
struct PlayClock: Sendable {
    /// Runs something as soon as possible, so that no exchange goes on inside the call that starts it.
    let soon: @Sendable (@escaping @Sendable () -> Void) -> Void
    let later: RequestClock

    init<Context: Scheduler & Sendable>(_ scheduler: Context) {
        soon = { scheduler.schedule($0) }
        later = RequestClock(scheduler)
    }

    /// A clock that shows the real time.
    static let system = PlayClock(DispatchQueue.global())
}
