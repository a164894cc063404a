import Streams
import Testing

@Suite("withCancellationHandler", .timeLimit(.minutes(1)))
struct CancellationHandlerTests {
    @Test("The operation does not leave the actor of a caller that is itself not isolated to it")
    func staysOnTheActorOfItsCaller() async {
        let executor = CountingExecutor()
        await Caller(executor).call()
        // The call itself is the only job.
        #expect(executor.jobCount == 1)
    }

    @Test("A cancellation calls the handler while the operation waits")
    func callsTheHandler() async {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        let task = Task {
            await withCancellationHandler {
                for await _ in stream {}
                return "ended"
            } onCancel: {
                continuation.finish()
            }
        }
        task.cancel()
        #expect(await task.value == "ended")
    }

    private actor Caller {
        let executor: CountingExecutor

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(_ executor: CountingExecutor) {
            self.executor = executor
        }

        func call() async {
            for _ in 0..<10 { await callWithoutIsolation() }
        }
    }

    /// Counts the jobs that it runs: a call that leaves the actor comes back by another one.
    private final class CountingExecutor: SerialExecutor {
        private let jobs = LockedValue(0)

        var jobCount: Int { jobs.value }

        func enqueue(_ job: consuming ExecutorJob) {
            jobs.update { $0 += 1 }
            let job = UnownedJob(job)
            Task.detached { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }
}

private func callWithoutIsolation() async {
    await withCancellationHandler {
    } onCancel: {
    }
}
