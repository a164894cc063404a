/// How fast something is transferred, and how long the rest will take.
///
/// A value that is told how far a transfer has come and when, and weighs what was lately more: what lies one time
/// constant back counts for a third. It has no clock; times are given as the time since any moment that stays the same.
///
/// ```swift
/// let start = ContinuousClock.now
/// var rate = TransferRate()
/// // ... with each progress ...
/// rate.record(progress.completed, at: .now - start)
/// let left = rate.timeLeft(for: progress, at: .now - start)
/// ```
///
/// A transfer that falls back, as a repeated attempt does, goes on from where it fell to: what was measured before
/// stays, and no bytes are taken away. While nothing is told the rate falls, so that a stall shows.
public struct TransferRate: Hashable, Sendable {
    /// The least time that is measured over: less would be a guess.
    private static let minimum: Double = 0.1
    /// Beyond so many seconds, a hundred days, the time that is left is no information.
    private static let horizon: Double = 8_640_000

    private let constant: Double
    private var completed: Int64 = 0
    /// The time that is still being added to: since when, what came in it, and until when.
    private var start: Double?
    private var gained: Double = 0
    private var last: Double = 0
    /// When something was told first.
    private var first: Double = 0
    private var past = Average()

    /// Bytes and seconds up to some moment, both fading with time, so that their ratio is not pulled towards zero at
    /// the beginning.
    private struct Average: Hashable {
        var bytes: Double = 0
        var seconds: Double = 0

        /// Adds bytes that came evenly over the time since that moment, and have faded like it.
        func adding(_ gained: Double, over elapsed: Double, constant: Double) -> Average {
            guard elapsed > 0 else { return Average(bytes: bytes + gained, seconds: seconds) }
            let fading = exp(-elapsed / constant)
            let faded = constant * (1 - fading)
            return Average(bytes: bytes * fading + gained * faded / elapsed, seconds: seconds * fading + faded)
        }
    }

    /// Makes a rate of nothing so far.
    ///
    /// - Parameter timeConstant: How far back it looks; at least a millisecond.
    public init(timeConstant: Duration = .seconds(3)) {
        constant = max(timeConstant / .seconds(1), 0.001)
    }

    /// Takes note of how far the transfer has come.
    ///
    /// - Parameters:
    ///   - completed: Bytes in all.
    ///   - time: The time since the same moment as in every call. One that is earlier than the last counts as the last.
    public mutating func record(_ completed: Int64, at time: Duration) {
        let now = max(time / .seconds(1), start == nil ? -.infinity : last)
        defer {
            self.completed = completed
            last = now
        }
        guard let start else {
            (self.start, first) = (now, now)
            return
        }
        // Notes at one moment belong to the same stretch of time, however many there are.
        if last - start >= Self.minimum, now > last {
            past = past.adding(gained, over: last - start, constant: constant)
            self.start = last
            gained = 0
        }
        gained += Double(max(completed, self.completed) - self.completed)
    }

    /// Bytes a second; `nil` as long as that would be a guess.
    ///
    /// - Parameter time: The time since the same moment as in ``record(_:at:)``.
    public func bytesPerSecond(at time: Duration) -> Double? {
        let now = max(time / .seconds(1), last)
        guard let start, now - first >= Self.minimum else { return nil }
        let average = past.adding(gained, over: last - start, constant: constant)
            .adding(0, over: now - last, constant: constant)
        return average.bytes / average.seconds
    }

    /// How long the rest will take at this rate; `nil` where that is not known: the length or the rate is not, or
    /// nothing moves.
    ///
    /// - Parameters:
    ///   - progress: How far it has come.
    ///   - time: The time since the same moment as in ``record(_:at:)``.
    public func timeLeft(for progress: TransferProgress, at time: Duration) -> Duration? {
        guard let total = progress.total else { return nil }
        guard total > progress.completed else { return .zero }
        guard let rate = bytesPerSecond(at: time), rate > 0 else { return nil }
        let seconds = Double(total - progress.completed) / rate
        return seconds <= Self.horizon ? .seconds(seconds) : nil
    }
}
