import Dispatch
import Synchronization

/// Runs tasks on the thread that waits for them, so that they take the same way every time.
// Safe because its state is behind the mutex, and jobs are run outside of it.
final class CallerExecutor: TaskExecutor, @unchecked Sendable {
    private struct State {
        var jobs: [UnownedJob] = []
        var isDone = false
    }

    private let state = Mutex(State())
    /// Signalled for every job, and at the end.
    private let news = DispatchSemaphore(value: 0)

    /// Waits for asynchronous work, which is not to fail.
    static func run(_ work: sending @escaping () async throws -> Void) {
        let executor = CallerExecutor()
        Task(executorPreference: executor) {
            do {
                try await work()
            } catch {
                preconditionFailure("a hot path failed: \(error)")
            }
            executor.finish()
        }
        executor.runJobs()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        news.signal()
    }

    private func finish() {
        state.withLock { $0.isDone = true }
        news.signal()
    }

    private func runJobs() {
        while !state.withLock({ $0.isDone }) {
            news.wait()
            while let job = takeJob() { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    private func takeJob() -> UnownedJob? {
        state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
    }
}
