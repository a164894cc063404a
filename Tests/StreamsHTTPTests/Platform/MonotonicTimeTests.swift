import Testing

@testable import StreamsHTTP

@Suite struct MonotonicTimeTests {
    private let start = MonotonicTime.now

    @Test func measuresAsContinuousClock() {
        let clock = ContinuousClock.now
        let first = MonotonicTime.now
        while ContinuousClock.now - clock < .milliseconds(20) {}
        let elapsed = MonotonicTime.now - first
        #expect(elapsed > .milliseconds(19) && elapsed <= ContinuousClock.now - clock)
    }

    @Test(arguments: [Duration.zero, .nanoseconds(1), .seconds(86_400 * 365), .milliseconds(-20)])
    func addsWhatWasMeasured(_ duration: Duration) {
        #expect((start + duration) - start == duration)
        #expect((start + duration < start) == (duration < .zero))
    }

    /// A user's timeout may be anything.
    @Test(arguments: [Duration.seconds(Int64.max), .seconds(300 * 86_400 * 365)])
    func staysInItsRange(_ duration: Duration) {
        let (last, first) = (start + duration, start + (.zero - duration))
        #expect(last > start && last + duration == last)
        #expect(first < start && last - first > .seconds(200 * 86_400 * 365))
    }

    @Test(arguments: [
        (Duration.seconds(2) + .nanoseconds(3), Int64(2_000_000_003)), (.nanoseconds(1) / 2, 0),
        (.nanoseconds(-7), -7), (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
        (.nanoseconds(Int64.max) + .nanoseconds(1), .max),
    ])
    func countsNanoseconds(of duration: Duration, expected: Int64) {
        #expect(duration.wholeNanoseconds == expected)
    }
}
