import CStreams

/// A detached thread with a small stack, with SIGPIPE blocked, and with a name that debuggers and profilers show.
enum EngineThread {
    /// The name. Linux takes at most 15 characters.
    static let name = "streams-engine"

    private final class Start: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static let stackSize = 512 * 1024

    /// Starts a thread.
    ///
    /// - Parameter body: The thread's work.
    static func start(_ body: @escaping @Sendable () -> Void) throws(TransportFailure) {
        let start = Unmanaged.passRetained(Start(body))
        let code = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { attributes in
            guard let attributes = attributes.baseAddress else { return ENOMEM }
            pthread_attr_init(attributes)
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setstacksize(attributes, stackSize)
            pthread_attr_setdetachstate(attributes, CInt(PTHREAD_CREATE_DETACHED))
            #if canImport(Darwin)
            var thread: pthread_t?
            #else
            var thread = pthread_t()
            #endif
            return pthread_create(&thread, attributes, entry, start.toOpaque())
        }
        guard code == 0 else {
            start.release()
            throw TransportFailure(system: code)
        }
    }

    #if canImport(Darwin)
    private static let entry: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { run($0) }
    #else
    private static let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { run($0) }
    #endif

    private static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        streams_set_thread_name(name)
        // TLS libraries write to sockets that the peer has closed, and libcurl does not suppress the signal for all
        // writes.
        withUnsafeTemporaryAllocation(of: sigset_t.self, capacity: 1) { signals in
            guard let signals = signals.baseAddress else { return }
            sigemptyset(signals)
            sigaddset(signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, signals, nil)
        }
        guard let context else { return nil }
        Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
        return nil
    }
}
