import Testing

@testable import StreamsHTTP

@Suite struct HTTP2LivenessTests {
    private let start = MonotonicTime.now
    private var liveness: HTTP2Liveness

    init() {
        liveness = HTTP2Liveness(now: start)
    }

    private func time(_ seconds: Int) -> MonotonicTime { start + .seconds(seconds) }

    private mutating func check(after seconds: Int, readUpTo readTime: Int? = nil) -> HTTP2Liveness.Action? {
        liveness.check(time(readTime ?? seconds), now: time(seconds))
    }

    @Test mutating func pingsSilentServerOnce() {
        #expect(liveness.deadline == time(30))
        #expect(check(after: 29) == nil && check(after: 30) == .ping && check(after: 30) == nil)
        #expect(liveness.deadline == time(50))
    }

    @Test mutating func failsWithoutAnswer() {
        #expect(check(after: 30) == .ping && check(after: 49) == nil && check(after: 50) == .fail)
    }

    @Test mutating func anyBytesAnswerPing() {
        #expect(check(after: 30) == .ping)
        liveness.noteReceived(now: time(45))
        #expect(liveness.deadline == time(75))
        #expect(check(after: 74) == nil && check(after: 75) == .ping)
    }

    /// The server may have answered on a connection that was not read.
    @Test mutating func countsOnlyTimeInWhichConnectionWasRead() {
        #expect(check(after: 1000, readUpTo: 29) == nil && check(after: 1000, readUpTo: 30) == .ping)
        #expect(check(after: 2000, readUpTo: 1019) == nil && check(after: 2000, readUpTo: 1020) == .fail)
    }

    @Test mutating func restartsAfterIdleTime() {
        liveness.restart(now: time(100))
        #expect(check(after: 129) == nil && check(after: 130) == .ping)
    }
}
