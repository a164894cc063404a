import Streams
import Testing

@Suite struct BackoffTests {
    @Test func boundsGrowByTheFactorUpToTheMaximum() {
        let backoff = Backoff(initial: .seconds(1), maximum: .seconds(20), factor: 3, jitter: 0)
        #expect((1...5).map { backoff.delay(beforeRetry: $0, random: 0.5) } == [1, 3, 9, 20, 20].map { .seconds($0) })
        #expect(Backoff.constant(.seconds(3)).delay(beforeRetry: 100, random: 0) == .seconds(3))
    }

    @Test func drawsTheRandomShareOfADelay() {
        let backoff = Backoff(initial: .seconds(8), jitter: 0.5)
        #expect(backoff.delay(beforeRetry: 1, random: 0) == .seconds(4))
        #expect(backoff.delay(beforeRetry: 1, random: 1) == .seconds(8))
        #expect(Backoff(initial: .seconds(8)).delay(beforeRetry: 1, random: 0.25) == .seconds(2))
    }

    @Test(arguments: [-1, 0, 1, 2, 64, 1000, .max], [-2, 0, 0.5, 1, 2, 1e300, .infinity, .nan])
    func acceptsAnyNumbers(retry: Int, factor: Double) {
        let longest = Duration(secondsComponent: .max, attosecondsComponent: 0) + .seconds(Int64.max)
        for duration in [Duration.zero, .seconds(-1), .nanoseconds(1), .seconds(Int64.max), longest] {
            for share in [-1, 0, 0.5, 1, 2, Double.infinity] {
                let backoff = Backoff(initial: duration, maximum: longest, factor: factor, jitter: share)
                let delay = backoff.delay(beforeRetry: retry, random: share)
                #expect(delay >= .zero && delay <= .seconds(Int64.max))
            }
        }
    }
}
