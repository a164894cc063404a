import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A group of threads that can be waited for.
final class ThreadGroup: Sendable {
    /// Small enough for many hundreds of threads, and large enough for the closures of tests in an unoptimized build.
    private static let stackSize = 512 * 1024

    private let running = DispatchGroup()
    private let members = Locked<Set<UInt>>([])

    /// Runs a closure on a new thread.
    ///
    /// - Returns: Whether the system has created the thread.
    func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        running.enter()
        let thread = ThreadBody(
            body: { [self] in
                _ = members.withLock { $0.insert(currentThread()) }
                body()
                _ = members.withLock { $0.remove(currentThread()) }
            }, onEnd: { [running] in running.leave() })
        let hasStarted = startThread(thread, stackSize: Self.stackSize)
        if !hasStarted { running.leave() }
        return hasStarted
    }

    /// Waits until all threads have ended. Returns immediately if called on one of them.
    func waitUntilEmpty() {
        let caller = currentThread()
        guard !members.withLock({ $0.contains(caller) }) else { return }
        running.wait()
    }
}

/// The body of a thread, for the C interface.
private final class ThreadBody: Sendable {
    private let body: @Sendable () -> Void
    private let onEnd: @Sendable () -> Void

    init(body: @escaping @Sendable () -> Void, onEnd: @escaping @Sendable () -> Void) {
        self.body = body
        self.onEnd = onEnd
    }

    /// Runs a body that was retained for its thread. The captures of the body, which include descriptors, are released
    /// before its end is reported.
    static func run(_ context: UnsafeMutableRawPointer) {
        let onEnd = {
            let thread = Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
            thread.body()
            return thread.onEnd
        }()
        onEnd()
    }
}

private func currentThread() -> UInt {
    #if canImport(Glibc)
    return pthread_self()
    #else
    return UInt(bitPattern: pthread_self())
    #endif
}

private func startThread(_ thread: ThreadBody, stackSize: Int) -> Bool {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return false }
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackSize)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))

    let context = Unmanaged.passRetained(thread)
    #if canImport(Darwin)
    var identity: pthread_t?
    let result = pthread_create(
        &identity, &attributes,
        { context in
            ThreadBody.run(context)
            return nil
        }, context.toOpaque())
    #else
    var identity = pthread_self()
    let result = pthread_create(
        &identity, &attributes,
        { context in
            guard let context else { return nil }
            ThreadBody.run(context)
            return nil
        }, context.toOpaque())
    #endif
    if result != 0 { context.release() }
    return result == 0
}
