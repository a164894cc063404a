/// Whether exchanges that have a transport to themselves are answered at once, so that it is worth while to wait.
struct CurlPromptness {
    /// After so many waits the next exchange is the thread's, and whoever awaits it is suspended: a task that never is
    /// would keep its actor, or one of the threads that all tasks have, from everybody else.
    private static let longestRun = 32

    /// What counts as at once.
    private let limit: Duration
    /// When the exchange that is alone began.
    private var began: ContinuousClock.Instant?
    /// Whether the last one that was alone was answered at once.
    private var isPrompt = false
    /// How many have been waited for, one after the other.
    private var run = 0

    init(limit: Duration) {
        self.limit = limit
    }

    /// - Parameter others: How many exchanges are under way besides.
    mutating func begin(beside others: Int, now: ContinuousClock.Instant) {
        began = others == 0 ? now : nil
    }

    /// An exchange has been answered.
    mutating func end(now: ContinuousClock.Instant) {
        guard let began = began.take() else { return }
        isPrompt = now - began <= limit
    }

    /// Whether to wait for an exchange that has begun, which is counted then.
    mutating func shallWait() -> Bool {
        guard isPrompt, run < Self.longestRun else {
            run = 0
            return false
        }
        run += 1
        return true
    }

    /// Somebody has waited in vain.
    mutating func disappoint() {
        isPrompt = false
    }
}
