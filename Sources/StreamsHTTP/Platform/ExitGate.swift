import Synchronization

/// Stops engines from calling libcurl while the process exits.
///
/// `exit` shuts TLS libraries down while other threads still run. An engine that uses such a library at that moment can
/// abort the process.
enum ExitGate {
    private static let isClosed = Atomic<Bool>(false)
    private static let insideCount = Atomic<Int>(0)
    /// The longest time for which an exit waits for running work.
    private static let timeout: Duration = .seconds(1)

    /// Registers the gate, which closes before the libraries that were registered earlier are shut down.
    static func register() {
        atexit { ExitGate.close() }
        // A fork does not copy the engines' threads: in the child no work is running.
        _ = pthread_atfork(nil, nil, { ExitGate.insideCount.store(0, ordering: .relaxed) })
    }

    private static func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        let deadline = ContinuousClock.now + timeout
        while insideCount.load(ordering: .sequentiallyConsistent) > 0, ContinuousClock.now < deadline { sched_yield() }
    }

    /// Runs work that must not overlap the end of the process. Never returns once the process exits.
    static func pass<Result>(_ work: () -> Result) -> Result {
        insideCount.add(1, ordering: .sequentiallyConsistent)
        if isClosed.load(ordering: .sequentiallyConsistent) {
            insideCount.subtract(1, ordering: .sequentiallyConsistent)
            while true { pause() }
        }
        defer { insideCount.subtract(1, ordering: .sequentiallyConsistent) }
        return work()
    }
}
