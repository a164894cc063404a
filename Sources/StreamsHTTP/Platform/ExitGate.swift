import Synchronization

/// Keeps engines out of libcurl once the process is exiting.
///
/// `exit` has TLS libraries take themselves down while other threads still run. An engine that is at work with them
/// then brings the process to an abort at its very end.
enum ExitGate {
    private static let isClosed = Atomic<Bool>(false)
    private static let inside = Atomic<Int>(0)
    /// How long an exit waits for engines that are at work.
    private static let patience: Duration = .seconds(1)

    /// Has the gate closed before whatever was registered earlier is taken down.
    static func register() {
        atexit { ExitGate.close() }
        // A fork leaves the engines' threads behind: in the child nobody is inside, nor would ever leave.
        _ = pthread_atfork(nil, nil, { ExitGate.inside.store(0, ordering: .relaxed) })
    }

    private static func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        let deadline = ContinuousClock.now + patience
        while inside.load(ordering: .sequentiallyConsistent) > 0, ContinuousClock.now < deadline { sched_yield() }
    }

    /// Runs work that must not meet the end of the process; once that has begun, never returns.
    static func pass<Result>(_ work: () -> Result) -> Result {
        guard let result = passIfOpen(work) else {
            while true { pause() }
        }
        return result
    }

    /// Runs work that must not meet the end of the process.
    ///
    /// - Returns: What the work comes to; `nil` where that end has begun, and nothing is run any more.
    static func passIfOpen<Result>(_ work: () -> Result) -> Result? {
        inside.add(1, ordering: .sequentiallyConsistent)
        defer { inside.subtract(1, ordering: .sequentiallyConsistent) }
        return isClosed.load(ordering: .sequentiallyConsistent) ? nil : work()
    }
}
