import StreamsHTTP
import Testing

/// The rate of a transfer, without a clock.
@Suite struct TransferRateTests {
    /// A rate that was told of so many bytes in each second.
    private func rate(of speeds: [Int64], every step: Duration = .seconds(1)) -> (
        rate: TransferProgress.Rate, end: Duration
    ) {
        var rate = TransferProgress.Rate(timeConstant: .seconds(3))
        var (completed, time): (Int64, Duration) = (0, .zero)
        rate.record(0, at: .zero)
        for speed in speeds {
            completed += speed
            time += step
            rate.record(completed, at: time)
        }
        return (rate, time)
    }

    private func isClose(_ left: Double?, _ right: Double, within share: Double = 0.001) -> Bool {
        left.map { abs($0 - right) <= share * right } ?? false
    }

    @Test func anEvenTransferHasItsRateFromTheBeginning() {
        for count in 1...30 {
            let (rate, end) = rate(of: Array(repeating: 1000, count: count))
            #expect(isClose(rate.bytesPerSecond(at: end), 1000))
        }
    }

    @Test func itDoesNotMatterHowOftenItIsTold() {
        let (seldom, end) = rate(of: [4000, 8000], every: .seconds(4))
        let (often, same) = rate(
            of: [Int64](repeating: 100, count: 40) + [Int64](repeating: 200, count: 40), every: .milliseconds(100))
        #expect(end == same)
        #expect(isClose(often.bytesPerSecond(at: same), seldom.bytesPerSecond(at: end) ?? 0))
    }

    @Test func whatIsLongPastIsForgotten() {
        let (rate, end) = rate(of: [1_000_000] + Array(repeating: 10, count: 60))
        #expect(isClose(rate.bytesPerSecond(at: end), 10, within: 0.01))
        // One time constant leaves a third of what was.
        let (changed, then) = self.rate(of: Array(repeating: 1000, count: 60) + [0, 0, 0])
        #expect(isClose(changed.bytesPerSecond(at: then), 1000 * 0.3679))
    }

    @Test func aStallShowsWithoutBeingTold() {
        let (rate, end) = rate(of: Array(repeating: 1000, count: 60))
        #expect(isClose(rate.bytesPerSecond(at: end + .seconds(3)), 1000 * 0.3679))
        let later = rate.bytesPerSecond(at: end + .seconds(60)) ?? .nan
        #expect(later >= 0 && later < 1)
    }

    @Test func lessThanATenthOfASecondWouldBeAGuess() {
        var rate = TransferProgress.Rate()
        #expect(rate.bytesPerSecond(at: .seconds(10)) == nil)
        rate.record(0, at: .seconds(10))
        rate.record(1000, at: .seconds(10.05))
        #expect(rate.bytesPerSecond(at: .seconds(10.05)) == nil)
        #expect(rate.bytesPerSecond(at: .seconds(10.2)) != nil)
    }

    @Test func aTransferThatFallsBackTakesNothingAway() {
        var (rate, end) = rate(of: [1000, 1000, 1000])
        rate.record(0, at: end)
        #expect(isClose(rate.bytesPerSecond(at: end), 1000))
        rate.record(1000, at: end + .seconds(1))
        #expect(isClose(rate.bytesPerSecond(at: end + .seconds(1)), 1000))
    }

    @Test func timeDoesNotRunBackwards() {
        var (rate, end) = rate(of: [1000, 1000])
        rate.record(3000, at: .zero)
        let speed = rate.bytesPerSecond(at: .zero) ?? .nan
        #expect(speed.isFinite && speed > 0)
        rate.record(4000, at: end + .seconds(1))
        #expect(rate.bytesPerSecond(at: end + .seconds(1))?.isFinite == true)
    }

    @Test func theRestTakesItsShareOfTheRate() throws {
        let (rate, end) = rate(of: [1000, 1000])
        let left = try #require(rate.timeLeft(for: TransferProgress(completed: 2000, total: 12_000), at: end))
        #expect(isClose(left / .seconds(1), 10))
        #expect(rate.timeLeft(for: TransferProgress(completed: 2000, total: nil), at: end) == nil)
        #expect(rate.timeLeft(for: TransferProgress(completed: 2000, total: 2000), at: end) == .zero)
        #expect(rate.timeLeft(for: TransferProgress(completed: 0, total: .max), at: end) == nil)
    }

    @Test func whatStandsStillHasNoEnd() {
        let (rate, end) = rate(of: [0, 0])
        #expect(rate.bytesPerSecond(at: end) == 0)
        #expect(rate.timeLeft(for: TransferProgress(completed: 0, total: 10), at: end) == nil)
    }

    @Test func aTimeConstantOfNothingIsHarmless() {
        var rate = TransferProgress.Rate(timeConstant: .zero)
        rate.record(0, at: .zero)
        rate.record(1000, at: .seconds(1))
        #expect(isClose(rate.bytesPerSecond(at: .seconds(1)), 1000))
        #expect(rate.bytesPerSecond(at: .seconds(100_000))?.isFinite == true)
    }
}
