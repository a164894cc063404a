import StreamsHTTP

/// A clock that shows what a test says.
struct ManualClock: Clock {
    struct Instant: InstantProtocol {
        var sinceStart: Duration
        func advanced(by duration: Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }
        func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }
        static func < (left: Instant, right: Instant) -> Bool { left.sinceStart < right.sinceStart }
    }

    private let time = Watched(Duration.zero)

    var now: Instant { Instant(sinceStart: time.value) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func advance(by duration: Duration) {
        time.update { $0 += duration }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await time.wait(for: "the time") { $0 >= deadline.sinceStart }
    }
}
