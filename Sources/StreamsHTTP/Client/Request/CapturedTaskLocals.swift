/// The task-local values at its creation, for calls on any thread.
///
/// Swift copies task-local values only into new tasks. So this keeps such a task suspended, and its executor runs the
/// task on the thread that resumes it: a call is synchronous and runs on the thread that makes it.
final class CapturedTaskLocals: Sendable {
    private let calls: AsyncStream<@Sendable () -> Void>.Continuation

    init() {
        let (stream, calls) = AsyncStream<@Sendable () -> Void>.makeStream()
        self.calls = calls
        Task(executorPreference: CallerExecutor.shared) { for await call in stream { call() } }
    }

    deinit { calls.finish() }

    /// Makes a call with the captured values, before this returns. If another call is under way, on this thread or
    /// another one, the call is made after that one, on its thread.
    func run(_ call: @escaping @Sendable () -> Void) {
        calls.yield(call)
    }

    /// Releases the captured values after the calls under way. Later calls are ignored.
    func end() {
        calls.finish()
    }
}

/// An executor that runs each job on the thread that enqueues it.
private final class CallerExecutor: TaskExecutor {
    static let shared = CallerExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
}
