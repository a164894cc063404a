/// The process's limit of file descriptors, and the part of it that connections leave to the rest of the process.
///
/// A new descriptor has the lowest free number (POSIX), so a high number means that many are open, including those that
/// other parts of the process have opened.
struct DescriptorLimit {
    /// The number of descriptors that connections leave to the rest of the process.
    let reserve: Int
    /// The lowest descriptor of the reserve.
    private let ceiling: Int

    /// Reads the process's limit, which may have changed.
    ///
    /// - Parameter reserve: The size of the reserve; `nil` is an eighth of the limit.
    init(reserve: Int?) {
        let limit = Self.softLimit
        self.reserve = max(reserve ?? limit / 8, 0)
        ceiling = max(limit - self.reserve, 0)
    }

    /// The number of connections that a transport may have whatever else is open, so that none waits for another
    /// transport's.
    private var guaranteedConnections: Int { max(reserve / 8, 1) }

    /// The number of name lookups at once. Each takes up to three descriptors and a thread.
    var maxLookups: Int { min(max(reserve / 4, 1), 32) }

    /// Returns whether a transport may keep a new socket.
    ///
    /// - Parameters:
    ///   - descriptor: The socket.
    ///   - connectionCount: The number of the transport's connections without it.
    func admits(_ descriptor: CInt, connectionCount: Int) -> Bool {
        descriptor < ceiling || connectionCount < guaranteedConnections
    }

    /// Returns whether a further socket would be admitted now.
    func hasRoom(connectionCount: Int) -> Bool {
        guard let descriptor = Self.probe() else { return false }
        close(descriptor)
        return admits(descriptor, connectionCount: connectionCount)
    }

    /// Whether the process can open no descriptor at all.
    static var isReached: Bool {
        guard let descriptor = probe() else { return errno == EMFILE || errno == ENFILE }
        close(descriptor)
        return false
    }

    /// Opens an unconnected socket, to find the lowest free descriptor.
    private static func probe() -> CInt? {
        let descriptor = socket(AF_UNIX, streamSocket, 0)
        return descriptor < 0 ? nil : descriptor
    }

    #if canImport(Glibc)
    private static let streamSocket = CInt(SOCK_STREAM.rawValue)
    #else
    private static let streamSocket = CInt(SOCK_STREAM)
    #endif

    private static var softLimit: Int {
        var limit = rlimit()
        #if canImport(Glibc)
        let code = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let code = getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return code == 0 ? Int(clamping: limit.rlim_cur) : .max
    }
}
