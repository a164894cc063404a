import Testing

@testable import StreamsHTTP

@Suite struct CurlPromptnessTests {
    private var promptness = CurlPromptness(limit: .milliseconds(1))
    private let start = ContinuousClock.now

    @Test mutating func theLastAnswerCounts() {
        var expectations = [promptness.isExpected]
        for milliseconds in [1, 2, 0] {
            promptness.begin(beside: 0, now: start)
            promptness.end(now: start + .milliseconds(milliseconds))
            expectations.append(promptness.isExpected)
        }
        #expect(expectations == [false, true, false, true])
    }

    @Test mutating func whatIsNotAloneSaysNothing() {
        promptness.begin(beside: 0, now: start)
        promptness.begin(beside: 1, now: start)
        promptness.end(now: start)
        promptness.end(now: start)
        #expect(!promptness.isExpected)
    }

    @Test mutating func aWaitInVainIsNotRepeated() {
        promptness.begin(beside: 0, now: start)
        promptness.end(now: start)
        promptness.disappoint()
        #expect(!promptness.isExpected)
    }
}
