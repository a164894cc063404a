extension RetryPolicy {
    /// A limit on the retries that a client adds to its requests to a host, so that they do not overload a failing
    /// host.
    ///
    /// In any ten seconds, a ``RetryPolicy`` may retry as many attempts to one origin as `share` times the first
    /// attempts of requests with such a policy, plus `reserve` for each second. A request beyond that fails with the
    /// error of its attempt. The hedges of a ``HedgingPolicy`` count as retries, and requests with one as first attempts.
    /// Each client has a budget of its own. Retries by interceptors, and requests that are sent
    /// again with new credentials or after a reused connection has broken, do not count.
    public struct Budget: Hashable, Sendable {
        /// The number of retries in proportion to first attempts.
        public var share: Double
        /// The number of retries in each second that need no first attempt.
        public var reserve: Double

        /// Creates a budget.
        ///
        /// - Parameters:
        ///   - share: The number of retries in proportion to first attempts; none if it is negative.
        ///   - reserve: The number of retries in each second that need no first attempt; none if it is negative.
        public init(share: Double = 0.2, reserve: Double = 10) {
            self.share = max(share, 0)
            self.reserve = max(reserve, 0)
        }
    }
}

/// A tracker of the use of a budget, by origin.
final class RetryBudgetTracker: Sendable {
    private struct Second {
        let number: Int64
        var firstAttempts = 0
        var retries = 0
    }

    /// The length of the window, in seconds.
    private static let windowSeconds: Int64 = 10
    private let origins = Locked(OriginTable<[Second]>())

    /// Records a first attempt.
    func recordAttempt(_ origin: String, now: Duration) {
        update(origin, now: now) { seconds in Self.update(&seconds, now) { $0.firstAttempts += 1 } }
    }

    /// Returns whether a retry is within the budget.
    func allowsRetry(_ origin: String, _ budget: RetryPolicy.Budget, now: Duration) -> Bool {
        origins.withLock { Self.allowsRetry($0.values[origin] ?? [], budget, now) }
    }

    /// Consumes a retry, if it is within the budget.
    ///
    /// - Returns: Whether the retry was within the budget.
    func consumeRetry(_ origin: String, _ budget: RetryPolicy.Budget, now: Duration) -> Bool {
        update(origin, now: now) { seconds in
            guard Self.allowsRetry(seconds, budget, now) else { return false }
            Self.update(&seconds, now) { $0.retries += 1 }
            return true
        }
    }

    private func update<Result>(_ origin: String, now: Duration, _ change: (inout [Second]) -> Result) -> Result {
        origins.withLock { origins in
            origins.update(
                origin, initial: [], now: now, removing: { !Self.isInWindow($0.last, now.components.seconds) }, change)
        }
    }

    /// Returns the use of a budget by each origin with recent attempts.
    func uses(of budget: RetryPolicy.Budget, now: Duration) -> [String: HTTPClient.Snapshot.Retries] {
        origins.withLock { $0.values }.compactMapValues { seconds in
            let seconds = seconds.filter { Self.isInWindow($0, now.components.seconds) }
            guard !seconds.isEmpty else { return nil }
            return HTTPClient.Snapshot.Retries(
                firstAttempts: seconds.reduce(0) { $0 + $1.firstAttempts },
                retries: seconds.reduce(0) { $0 + $1.retries },
                available: Self.wholeNumber(Self.allowance(seconds, budget)))
        }
    }

    /// The number of tracked origins.
    var originCount: Int { origins.withLock { $0.values.count } }

    private static func allowsRetry(_ seconds: [Second], _ budget: RetryPolicy.Budget, _ now: Duration) -> Bool {
        allowance(seconds.filter { isInWindow($0, now.components.seconds) }, budget) >= 1
    }

    /// Returns the number of retries that are left of those that the attempts in the window earn.
    private static func allowance(_ seconds: [Second], _ budget: RetryPolicy.Budget) -> Double {
        let earned = Double(seconds.reduce(0) { $0 + $1.firstAttempts }) * budget.share
        let spent = Double(seconds.reduce(0) { $0 + $1.retries })
        return earned + budget.reserve * Double(windowSeconds) - spent
    }

    /// Returns a number rounded down, within the range of non-negative integers.
    private static func wholeNumber(_ number: Double) -> Int {
        guard number >= 1 else { return 0 }
        return Int(exactly: number.rounded(.down)) ?? .max
    }

    private static func update(_ seconds: inout [Second], _ now: Duration, _ change: (inout Second) -> Void) {
        let number = now.components.seconds
        if seconds.last?.number != number {
            seconds.removeAll { !isInWindow($0, number) }
            seconds.append(Second(number: number))
        }
        change(&seconds[seconds.count - 1])
    }

    private static func isInWindow(_ second: Second?, _ now: Int64) -> Bool {
        second.map { now - $0.number < windowSeconds } ?? false
    }
}
