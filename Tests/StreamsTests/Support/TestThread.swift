import Synchronization
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A dedicated thread, which no thread pool limits.
///
/// The body runs in a task, with the task-local values of the caller: an expectation that fails there fails the test that
/// has started the thread.
struct TestThread: Sendable {
    /// The stack size of rule 5, in bytes.
    static let smallStack = 512 * 1024

    private let end = Gate()

    /// - Parameter stackSize: The size of the stack in bytes; nil for the platform's default.
    init(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) {
        let executor = ThreadExecutor(stackSize: stackSize, end: end)
        Task(executorPreference: executor) { body() }
    }

    /// - Returns: Whether the thread ended within the timeout.
    func join(seconds: Int = 60) -> Bool {
        end.wait(seconds: seconds)
    }
}

/// Runs the only job of a task on a thread of its own.
private final class ThreadExecutor: TaskExecutor {
    private let stackSize: Int?
    private let end: Gate

    init(stackSize: Int?, end: Gate) {
        self.stackSize = stackSize
        self.end = end
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let work = Work(job: UnownedJob(job), executor: self)
        let status = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { buffer in
            guard let attributes = buffer.baseAddress else { return Int32(EINVAL) }
            pthread_attr_init(attributes)
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            if let stackSize { pthread_attr_setstacksize(attributes, stackSize) }
            #if canImport(Darwin)
            var thread: pthread_t?
            #else
            var thread: pthread_t = 0
            #endif
            return pthread_create(&thread, attributes, runWork, Unmanaged.passRetained(work).toOpaque())
        }
        #expect(status == 0, "the thread could not be started")
    }

    /// Runs the job, and releases what its task holds before `join()` returns, so that a test may check what that was.
    fileprivate func run(_ job: UnownedJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
        end.open()
    }
}

private final class Work: Sendable {
    let job: UnownedJob
    let executor: ThreadExecutor

    init(job: UnownedJob, executor: ThreadExecutor) {
        self.job = job
        self.executor = executor
    }
}

#if canImport(Darwin)
private func runWork(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
    work.executor.run(work.job)
    return nil
}
#else
private func runWork(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
    work.executor.run(work.job)
    return nil
}
#endif

/// Runs the body on a thread with a small stack, which recursion would overflow, and waits for the thread's end.
///
/// - Parameter stackSize: The size of the stack in bytes; by default 512 KiB, as in rule 5.
func onSmallStack(
    _ stackSize: Int = TestThread.smallStack, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable () -> Void
) {
    let thread = TestThread(stackSize: stackSize, body)
    #expect(thread.join(seconds: 120), "a thread is blocked", sourceLocation: sourceLocation)
}

/// A barrier at which threads wait for each other, so that they run concurrently.
private final class StartBarrier: Sendable {
    private let arrived = Atomic<Int>(0)

    func await(_ count: Int) {
        arrived.add(1, ordering: .relaxed)
        while arrived.load(ordering: .relaxed) < count { sched_yield() }
    }
}

/// Runs the body on several threads that start together, and waits for all of them.
func concurrently(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable (Int) -> Void
) {
    let start = StartBarrier()
    let threads = (0..<count).map { index in
        TestThread {
            start.await(count)
            body(index)
        }
    }
    for thread in threads { #expect(thread.join(), "a thread is blocked", sourceLocation: sourceLocation) }
}

/// Runs the body on another thread and waits for it.
///
/// The test fails if the body needs a lock that the calling thread holds.
func onAnotherThread(sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () -> Void) {
    #expect(
        TestThread(body).join(), "the other thread is blocked",
        sourceLocation: sourceLocation)
}
