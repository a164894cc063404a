/// The times at which the bytes of a transfer may pass, for a rate that is not exceeded.
///
/// Bytes pass in steps of a tenth of a second. A transfer that was held up makes good for at most as much again, so that
/// it does not burst.
struct Pace {
    private static let step = Duration.milliseconds(100)

    /// The number of bytes in a second.
    private let rate: Double
    /// The time at which more bytes may pass: those before have then taken as long as their number takes at the rate.
    private(set) var next: ContinuousClock.Instant

    /// - Parameters:
    ///   - rate: The maximum number of bytes in a second, from 1 up.
    ///   - start: The time at which the first bytes may pass.
    init(rate: Int, start: ContinuousClock.Instant) {
        self.rate = Double(rate)
        next = start
    }

    /// Returns the number of bytes that may pass at a time: zero before ``next``, and at least one afterwards.
    func allowance(at now: ContinuousClock.Instant) -> Int {
        guard now >= next else { return 0 }
        let seconds = (min(now - next, Self.step) + Self.step) / .seconds(1)
        return max(Int(seconds * rate), 1)
    }

    /// Records bytes that pass.
    mutating func pass(_ bytes: Int64, at now: ContinuousClock.Instant) {
        next = max(next, now - Self.step) + .seconds(Double(bytes) / rate)
    }
}
