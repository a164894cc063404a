/// The comparison of a transfer's rate with the minimum, one period after another.
///
/// A period is measured while the body of the request is sent, or the response is received. It restarts after each
/// pause, so that time in which the peer must wait does not count.
struct RateCheck {
    /// The stage of an exchange that a period lies in.
    enum Stage {
        case sending, receiving
    }

    private struct Period {
        let stage: Stage
        let start: MonotonicTime
        let bytes: Int64
    }

    /// The delay of the comparison after which a period does not count, because the process did not run.
    static let tolerance: Duration = .seconds(1)

    private let minimum: RequestOptions.Timeouts.MinimumRate?
    private var period: Period?

    init(_ minimum: RequestOptions.Timeouts.MinimumRate?) {
        self.minimum = minimum
    }

    var isEnabled: Bool { minimum != nil }

    /// The end of the period, or `nil` if none is measured.
    var deadline: MonotonicTime? {
        guard let minimum, let period else { return nil }
        return period.start + min(max(minimum.period, .milliseconds(1)), .seconds(86_400 * 365))
    }

    /// Begins a period if the stage has changed.
    ///
    /// - Parameters:
    ///   - stage: The current stage, or `nil` if the transfer does not wait for the peer's bytes.
    ///   - byteCount: Returns the number of bytes sent and received so far.
    /// - Returns: Whether a period has begun.
    mutating func update(_ stage: Stage?, now: MonotonicTime, byteCount: () -> Int64) -> Bool {
        guard isEnabled, stage != period?.stage else { return false }
        period = stage.map { Period(stage: $0, start: now, bytes: byteCount()) }
        return period != nil
    }

    /// Begins the next period if the current one is over and enough bytes were transferred in it.
    mutating func judge(now: MonotonicTime, byteCount: () -> Int64) {
        guard let minimum, let period, let deadline, deadline <= now else { return }
        let bytes = byteCount()
        let required = Double(minimum.bytesPerSecond) * (minimum.period / .seconds(1))
        guard Double(bytes - period.bytes) >= required || now - deadline > Self.tolerance else { return }
        self.period = Period(stage: period.stage, start: now, bytes: bytes)
    }

    /// Restarts the period, because the process did not run for a part of it.
    mutating func restart(now: MonotonicTime, byteCount: () -> Int64) {
        period = period.map { Period(stage: $0.stage, start: now, bytes: byteCount()) }
    }
}
