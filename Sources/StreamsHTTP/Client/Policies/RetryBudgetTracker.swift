/// A tracker of the use of a budget, by origin.
final class RetryBudgetTracker: Sendable {
    private typealias Window = SlidingWindow<(firstAttempts: Int, retries: Int)>

    private static let windowLength = Duration.seconds(10)
    private let origins = Locked(OriginTable<Window>())

    /// Records a first attempt.
    func recordAttempt(_ origin: String, now: Duration) {
        update(origin, now: now) { window in window.update(now: now) { $0.firstAttempts += 1 } }
    }

    /// Returns whether a retry is within the budget.
    func allowsRetry(_ origin: String, _ budget: RetryPolicy.Budget, now: Duration) -> Bool {
        origins.withLock { Self.allowance($0.values[origin] ?? Self.unused, budget, now: now) >= 1 }
    }

    /// Consumes a retry, if it is within the budget.
    ///
    /// - Returns: Whether the retry was within the budget.
    func consumeRetry(_ origin: String, _ budget: RetryPolicy.Budget, now: Duration) -> Bool {
        update(origin, now: now) { window in
            guard Self.allowance(window, budget, now: now) >= 1 else { return false }
            window.update(now: now) { $0.retries += 1 }
            return true
        }
    }

    private func update<Result>(_ origin: String, now: Duration, _ change: (inout Window) -> Result) -> Result {
        origins.withLock { origins in
            origins.update(origin, initial: Self.unused, now: now, removing: { $0.isEmpty(now: now) }, change)
        }
    }

    /// Returns the use of a budget by each origin with recent attempts.
    func uses(of budget: RetryPolicy.Budget, now: Duration) -> [String: HTTPClient.Snapshot.Retries] {
        origins.withLock { $0.values }.compactMapValues { window in
            guard !window.isEmpty(now: now) else { return nil }
            return HTTPClient.Snapshot.Retries(
                firstAttempts: window.sum(now: now) { $0.firstAttempts }, retries: window.sum(now: now) { $0.retries },
                available: Self.wholeNumber(Self.allowance(window, budget, now: now)))
        }
    }

    /// The number of tracked origins.
    var originCount: Int { origins.withLock { $0.values.count } }

    private static var unused: Window { Window(length: windowLength, none: (firstAttempts: 0, retries: 0)) }

    /// Returns the number of retries that are left of those that the attempts in the window earn.
    private static func allowance(_ window: Window, _ budget: RetryPolicy.Budget, now: Duration) -> Double {
        let earned = Double(window.sum(now: now) { $0.firstAttempts }) * budget.share
        let spent = Double(window.sum(now: now) { $0.retries })
        return earned + budget.reserve * (windowLength / .seconds(1)) - spent
    }

    /// Returns a number rounded down, within the range of non-negative integers.
    private static func wholeNumber(_ number: Double) -> Int {
        guard number >= 1 else { return 0 }
        return Int(exactly: number.rounded(.down)) ?? .max
    }
}
