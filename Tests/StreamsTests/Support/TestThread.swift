import Synchronization
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A thread of its own, not one of a pool that might be exhausted.
struct TestThread: Sendable {
    /// The stack that rule 5 is about.
    static let smallStack = 512 * 1024

    private let end = Gate()

    /// - Parameter stackSize: In bytes; the platform's default for nil.
    init(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) {
        let work = Work(body: body, end: end)
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
        #expect(status == 0, "no thread could be started")
    }

    /// - Returns: Whether the thread ended before the watchdog lost patience.
    func join(seconds: Int = 60) -> Bool {
        end.wait(seconds: seconds)
    }
}

private final class Work: Sendable {
    let body: @Sendable () -> Void
    let end: Gate

    init(body: @escaping @Sendable () -> Void, end: Gate) {
        self.body = body
        self.end = end
    }
}

#if canImport(Darwin)
private func runWork(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    run(Unmanaged<Work>.fromOpaque(argument).takeRetainedValue())
    return nil
}
#else
private func runWork(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument { run(Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()) }
    return nil
}
#endif

private func run(_ work: consuming Work) {
    let end = work.end
    work.body()
    // What the work holds is released before anybody goes on who has waited for its end.
    _ = consume work
    end.open()
}

/// Runs work on a thread with a stack that recursion would soon use up, and waits for its end.
///
/// - Parameter stackSize: In bytes; 512 KiB, as in rule 5, unless told.
func onSmallStack(
    _ stackSize: Int = TestThread.smallStack, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable () -> Void
) {
    let thread = TestThread(stackSize: stackSize, body)
    #expect(thread.join(seconds: 120), "a thread hangs", sourceLocation: sourceLocation)
}

/// Where threads wait for each other, so that they run at the same time.
private final class StartingLine: Sendable {
    private let present = Atomic<Int>(0)

    func await(_ count: Int) {
        present.add(1, ordering: .relaxed)
        while present.load(ordering: .relaxed) < count { sched_yield() }
    }
}

/// Runs work on threads of its own that start together, and waits for all of them.
func concurrently(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable (Int) -> Void
) {
    let start = StartingLine()
    let threads = (0..<count).map { index in
        TestThread {
            start.await(count)
            body(index)
        }
    }
    for thread in threads { #expect(thread.join(), "a thread hangs", sourceLocation: sourceLocation) }
}

/// Runs work on another thread while this one waits in the middle of something: it comes back only if this thread holds no lock
/// that it needs.
func elsewhere(sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () -> Void) {
    #expect(
        TestThread(body).join(), "what was called on another thread is blocked",
        sourceLocation: sourceLocation)
}
