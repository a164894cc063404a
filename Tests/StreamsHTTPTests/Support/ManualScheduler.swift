import StreamsHTTP

/// A scheduler whose clock a test moves.
final class ManualScheduler: Scheduler, Sendable {
    struct Instant: Strideable, Sendable {
        var nanoseconds: Int
        func distance(to other: Instant) -> Interval { Interval(nanoseconds: other.nanoseconds - nanoseconds) }
        func advanced(by interval: Interval) -> Instant { Instant(nanoseconds: nanoseconds + interval.nanoseconds) }
    }

    struct Interval: Comparable, SignedNumeric, SchedulerTimeIntervalConvertible, Sendable {
        var nanoseconds: Int
        var magnitude: Int { abs(nanoseconds) }

        init(nanoseconds: Int) { self.nanoseconds = nanoseconds }
        init(integerLiteral value: Int) { nanoseconds = value }
        init?(exactly source: some BinaryInteger) {
            guard let value = Int(exactly: source) else { return nil }
            nanoseconds = value
        }

        static func < (left: Interval, right: Interval) -> Bool { left.nanoseconds < right.nanoseconds }
        static func + (left: Interval, right: Interval) -> Interval {
            Interval(nanoseconds: left.nanoseconds + right.nanoseconds)
        }
        static func - (left: Interval, right: Interval) -> Interval {
            Interval(nanoseconds: left.nanoseconds - right.nanoseconds)
        }
        static func * (left: Interval, right: Interval) -> Interval {
            Interval(nanoseconds: left.nanoseconds * right.nanoseconds)
        }
        static func *= (left: inout Interval, right: Interval) { left = left * right }
        static func seconds(_ s: Int) -> Interval { Interval(nanoseconds: s * 1_000_000_000) }
        static func seconds(_ s: Double) -> Interval { Interval(nanoseconds: Int(s * 1_000_000_000)) }
        static func milliseconds(_ ms: Int) -> Interval { Interval(nanoseconds: ms * 1_000_000) }
        static func microseconds(_ us: Int) -> Interval { Interval(nanoseconds: us * 1000) }
        static func nanoseconds(_ ns: Int) -> Interval { Interval(nanoseconds: ns) }
    }

    private struct Job: Sendable {
        let due: Int
        let action: @Sendable () -> Void
    }

    private struct State: Sendable {
        var now = 0
        var lastID = 0
        var jobs: [Int: Job] = [:]
    }

    private let state = Watched(State())

    var now: Instant { Instant(nanoseconds: state.value.now) }
    var minimumTolerance: Interval { Interval(nanoseconds: 0) }
    /// How many timers wait.
    var pendingCount: Int { state.value.jobs.count }

    /// Waits until so many timers wait.
    func waitForTimers(_ count: Int) async throws {
        try await state.wait(for: "\(count) timers") { $0.jobs.count == count }
    }

    /// Moves the clock, and runs what is due on the calling thread: what is due at the same time in the order it came.
    func advance(by duration: Duration) {
        let nanoseconds = Int(duration / .nanoseconds(1))
        let due = state.update { state in
            state.now += nanoseconds
            let now = state.now
            let due = state.jobs.filter { $0.value.due <= now }
            for id in due.keys { state.jobs[id] = nil }
            return due.sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }.map(\.value)
        }
        for job in due { job.action() }
    }

    func schedule(options: Never?, _ action: @escaping @Sendable () -> Void) {
        schedule(after: now, tolerance: minimumTolerance, options: nil, action)
    }

    func schedule(
        after date: Instant, tolerance: Interval, options: Never?, _ action: @escaping @Sendable () -> Void
    ) {
        add(action, at: date)
    }

    /// Runs the action once: what repeats is not what these tests wait for.
    func schedule(
        after date: Instant, interval: Interval, tolerance: Interval, options: Never?,
        _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        let id = add(action, at: date)
        return AnyCancellable { [state] in
            let job = state.update { $0.jobs.removeValue(forKey: id) }
            withExtendedLifetime(job) {}
        }
    }

    @discardableResult
    private func add(_ action: @escaping @Sendable () -> Void, at date: Instant) -> Int {
        state.update { state in
            state.lastID += 1
            state.jobs[state.lastID] = Job(due: date.nanoseconds, action: action)
            return state.lastID
        }
    }
}
