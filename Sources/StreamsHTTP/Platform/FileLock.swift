/// A lock between processes, and between the threads of one: a file of its own that is locked as a whole. It is free
/// when its process ends, however that happens. The file stays.
struct FileLock {
    /// The time between two attempts to acquire a lock, in microseconds.
    private static let interval: UInt32 = 2_000

    private let descriptor: CInt

    /// Acquires the lock. Blocks the thread as long as another has it.
    ///
    /// - Parameters:
    ///   - path: The path of the file, which is created if there is none.
    ///   - timeout: The time after which this fails with `EWOULDBLOCK`.
    init(path: String, timeout: Duration) throws(FileError) {
        try path.checkPath()
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
        let deadline = MonotonicTime.now + timeout
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            guard code == EINTR || code == EWOULDBLOCK, MonotonicTime.now < deadline else {
                close(descriptor)
                throw FileError(path: path, code: code)
            }
            usleep(Self.interval)
        }
    }

    func release() {
        close(descriptor)
    }
}
