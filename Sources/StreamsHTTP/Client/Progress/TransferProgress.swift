/// The progress of a body's transfer, in bytes on the wire.
public struct TransferProgress: Hashable, Sendable {
    /// The bytes transferred in this attempt.
    public let completed: Int64
    /// The total number of bytes; `nil` if it is unknown.
    public let total: Int64?
    /// The bytes after decoding; equal to `completed` if the content is not encoded.
    public let decoded: Int64

    /// Creates the progress of a transfer.
    ///
    /// - Parameters:
    ///   - completed: The bytes transferred, on the wire.
    ///   - total: The total number of bytes, on the wire; `nil` if it is unknown.
    ///   - decoded: The bytes after decoding; `nil` if they equal the bytes transferred.
    public init(completed: Int64, total: Int64?, decoded: Int64? = nil) {
        self.completed = completed
        self.total = total
        self.decoded = decoded ?? completed
    }

    /// The completed fraction, from 0 to 1; `nil` if the total is unknown.
    public var fraction: Double? {
        guard let total else { return nil }
        return total > 0 ? min(Double(completed) / Double(total), 1) : 1
    }
}

extension TransferProgress {
    /// The direction of a transfer.
    public enum Direction: Hashable, Sendable {
        /// The request's body.
        case upload
        /// The response's body.
        case download
    }
}

extension TransferProgress {
    /// The rate of a transfer: a moving average that estimates the time left.
    ///
    /// The average gives recent bytes more weight: those of one time constant ago count about a third. The rate has no
    /// clock. Times are durations since a fixed moment of the caller's choice.
    ///
    /// ```swift
    /// let start = ContinuousClock.now
    /// var rate = TransferProgress.Rate()
    /// // For each progress:
    /// rate.record(progress.completed, at: .now - start)
    /// let left = rate.timeLeft(for: progress, at: .now - start)
    /// ```
    ///
    /// If a transfer restarts, as for a retry, counting continues from its new position. No bytes are subtracted. While
    /// nothing is recorded the rate falls, so that a stall shows.
    public struct Rate: Hashable, Sendable {
        /// The minimum time of a measurement, in seconds.
        private static let minimum: Double = 0.1
        /// The maximum time left that is reported: a hundred days, in seconds.
        private static let horizon: Double = 8_640_000

        private let constant: Double
        private var completed: Int64 = 0
        /// The current interval: its start and end, in seconds, and its bytes.
        private var start: Double?
        private var gained: Double = 0
        private var last: Double = 0
        /// The time of the first record, in seconds.
        private var first: Double = 0
        private var past = Average()

        /// Bytes and seconds that decay over time. As both decay, their ratio does not start near zero.
        private struct Average: Hashable {
            var bytes: Double = 0
            var seconds: Double = 0

            /// Returns the average with bytes that arrived evenly over the elapsed time, in seconds.
            func adding(_ gained: Double, over elapsed: Double, constant: Double) -> Average {
                guard elapsed > 0 else { return Average(bytes: bytes + gained, seconds: seconds) }
                let fading = exp(-elapsed / constant)
                let faded = constant * (1 - fading)
                return Average(bytes: bytes * fading + gained * faded / elapsed, seconds: seconds * fading + faded)
            }
        }

        /// Creates a rate without records.
        ///
        /// - Parameter timeConstant: The time constant of the average; at least a millisecond.
        public init(timeConstant: Duration = .seconds(3)) {
            constant = max(timeConstant / .seconds(1), 0.001)
        }

        /// Records the progress of the transfer.
        ///
        /// - Parameters:
        ///   - completed: The bytes transferred so far.
        ///   - time: The time since the same moment as in every call. A time before the last one counts as the last
        ///     one.
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
            // Records at the same time belong to the same interval.
            if last - start >= Self.minimum, now > last {
                past = past.adding(gained, over: last - start, constant: constant)
                self.start = last
                gained = 0
            }
            gained += Double(max(completed, self.completed) - self.completed)
        }

        /// Returns the rate in bytes per second; `nil` until 0.1 seconds after the first record.
        ///
        /// - Parameter time: The time since the same moment as in ``record(_:at:)``.
        public func bytesPerSecond(at time: Duration) -> Double? {
            let now = max(time / .seconds(1), last)
            guard let start, now - first >= Self.minimum else { return nil }
            let average = past.adding(gained, over: last - start, constant: constant)
                .adding(0, over: now - last, constant: constant)
            return average.bytes / average.seconds
        }

        /// Returns the estimated time left at this rate. It is `nil` if the total or the rate is unknown, if the rate
        /// is zero, or if the estimate exceeds a hundred days.
        ///
        /// - Parameters:
        ///   - progress: The progress of the transfer.
        ///   - time: The time since the same moment as in ``record(_:at:)``.
        public func timeLeft(for progress: TransferProgress, at time: Duration) -> Duration? {
            guard let total = progress.total else { return nil }
            guard total > progress.completed else { return .zero }
            guard let rate = bytesPerSecond(at: time), rate > 0 else { return nil }
            let seconds = Double(total - progress.completed) / rate
            return seconds <= Self.horizon ? .seconds(seconds) : nil
        }
    }
}
