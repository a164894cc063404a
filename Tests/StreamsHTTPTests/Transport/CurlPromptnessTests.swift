import Testing

@testable import StreamsHTTP

@Suite struct CurlPromptnessTests {
    private var promptness = CurlPromptness(limit: .milliseconds(1))
    private let start = ContinuousClock.now

    /// An exchange by itself.
    private mutating func exchange(takes milliseconds: Int) {
        promptness.begin(beside: 0, now: start)
        promptness.end(now: start + .milliseconds(milliseconds))
    }

    @Test mutating func theLastAnswerCounts() {
        var waits = [promptness.shallWait()]
        for milliseconds in [1, 2, 0] {
            exchange(takes: milliseconds)
            waits.append(promptness.shallWait())
        }
        #expect(waits == [false, true, false, true])
    }

    @Test mutating func whatIsNotAloneSaysNothing() {
        promptness.begin(beside: 0, now: start)
        promptness.begin(beside: 1, now: start)
        promptness.end(now: start)
        promptness.end(now: start)
        let waits = promptness.shallWait()
        #expect(!waits)
    }

    @Test mutating func aWaitInVainIsNotRepeated() {
        exchange(takes: 0)
        promptness.disappoint()
        let waits = promptness.shallWait()
        #expect(!waits)
    }

    /// Otherwise a task that does nothing but ask would never be suspended.
    @Test mutating func everySoOftenNobodyWaits() {
        var waits: [Bool] = []
        for _ in 0..<70 {
            exchange(takes: 0)
            waits.append(promptness.shallWait())
        }
        #expect(waits.split(separator: false).map(\.count) == [32, 32, 4])
    }
}
