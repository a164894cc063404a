/// A time of a clock that never goes back, and that goes on while the machine sleeps, as `ContinuousClock` does.
///
/// The layout of that clock's instants is not known to the compiler, so that each copy and each test of an optional one
/// is a call. The engine does hundreds of them for a request.
struct MonotonicTime: Comparable, Sendable {
    private let nanoseconds: Int64

    static var now: MonotonicTime {
        #if canImport(Darwin)
        let clock = CLOCK_MONOTONIC
        #else
        let clock = CLOCK_BOOTTIME
        #endif
        var time = timespec()
        clock_gettime(clock, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

    static func - (left: MonotonicTime, right: MonotonicTime) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }

    /// Returns the time after a duration, or the first or the last time that there is.
    static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (sum, hasOverflown) = time.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return MonotonicTime(nanoseconds: hasOverflown ? .max : max(sum, 0))
    }
}

extension Duration {
    /// The duration in nanoseconds, without fractions of one, or the longest that can be counted.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, hasOverflown) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, hasOverflownAfter) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard hasOverflown || hasOverflownAfter else { return sum }
        return seconds < 0 ? .min : .max
    }

    /// The duration in milliseconds, rounded up so that a timer is never early, within the range of libcurl's numbers.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds >= 0 else { return 0 }
        guard seconds < Int64(Int32.max / 1000) else { return Int(Int32.max) }
        return max(Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000), 0)
    }
}
