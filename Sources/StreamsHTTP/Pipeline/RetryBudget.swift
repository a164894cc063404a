/// How many retries a client adds to what it asks of a host, so that a host in trouble is not buried by them.
///
/// In any ten seconds so many attempts to one origin are repeated by a ``RetryPolicy`` as `share` of the first attempts
/// that were made for requests with such a policy, and `reserve` for each second besides. What would be more fails with
/// the error of its attempt. Copies of a client share what they have spent. What interceptors repeat, and requests that
/// are sent again with new credentials, do not count.
public struct RetryBudget: Hashable, Sendable {
    /// Retries in proportion to first attempts.
    public var share: Double
    /// Retries in each second that need no first attempt.
    public var reserve: Double

    /// - Parameters:
    ///   - share: Retries in proportion to first attempts; none where it is negative.
    ///   - reserve: Retries in each second that need no first attempt; none where it is negative.
    public init(share: Double = 0.2, reserve: Double = 10) {
        self.share = max(share, 0)
        self.reserve = max(reserve, 0)
    }
}

/// What has been spent of a budget, by origin.
final class RetryLedger: Sendable {
    private struct Second {
        let number: Int64
        var firstAttempts = 0
        var retries = 0
    }

    /// How many seconds count.
    private static let span: Int64 = 10
    /// With how many origins those are looked for that nothing counts for any longer.
    private static let crowd = 256

    private let accounts = Locked<[String: [Second]]>([:])

    /// Takes note of a first attempt.
    func deposit(_ origin: String, now: Duration) {
        accounts.withLock { accounts in
            if accounts.count >= Self.crowd, accounts[origin] == nil {
                accounts = accounts.filter { Self.counts($0.value.last, now.components.seconds) }
            }
            Self.update(&accounts[origin, default: []], now) { $0.firstAttempts += 1 }
        }
    }

    /// Whether a retry is within the budget.
    func allows(_ origin: String, _ budget: RetryBudget, now: Duration) -> Bool {
        accounts.withLock { Self.allows($0[origin, default: []], budget, now) }
    }

    /// - Returns: Whether a retry is within the budget, of which it is then taken.
    func withdraw(_ origin: String, _ budget: RetryBudget, now: Duration) -> Bool {
        accounts.withLock { accounts in
            guard Self.allows(accounts[origin, default: []], budget, now) else { return false }
            Self.update(&accounts[origin, default: []], now) { $0.retries += 1 }
            return true
        }
    }

    /// How many origins are known.
    var originCount: Int { accounts.withLock { $0.count } }

    private static func allows(_ seconds: [Second], _ budget: RetryBudget, _ now: Duration) -> Bool {
        let seconds = seconds.filter { counts($0, now.components.seconds) }
        let earned = Double(seconds.reduce(0) { $0 + $1.firstAttempts }) * budget.share
        let spent = Double(seconds.reduce(0) { $0 + $1.retries })
        return spent + 1 <= earned + budget.reserve * Double(span)
    }

    private static func update(_ seconds: inout [Second], _ now: Duration, _ change: (inout Second) -> Void) {
        let number = now.components.seconds
        if seconds.last?.number != number {
            seconds.removeAll { !counts($0, number) }
            seconds.append(Second(number: number))
        }
        change(&seconds[seconds.count - 1])
    }

    private static func counts(_ second: Second?, _ now: Int64) -> Bool {
        second.map { now - $0.number < span } ?? false
    }
}
