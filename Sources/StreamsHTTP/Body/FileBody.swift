/// A body source that reads a regular file while it is sent.
final class FileBody: HTTPBody.Source {
    private let path: String
    private let descriptor: CInt
    private let total: Int64
    // Safe because only the transport reads, one call at a time.
    nonisolated(unsafe) private var position: Int64 = 0

    init(path: String) throws(FileError) {
        self.path = path
        descriptor = Self.openForReading(path)
        guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw FileError(path: path, code: code)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            // Reading a pipe or a device could block the transport. Such files are sent as streams.
            throw FileError(path: path, code: EINVAL)
        }
        total = Int64(status.st_size)
    }

    deinit {
        close(descriptor)
    }

    var length: Int64? { total }

    /// Returns the length of a regular file in bytes.
    static func length(ofFileAt path: String) throws(FileError) -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileError(path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(path: path, code: EINVAL) }
        return Int64(status.st_size)
    }

    private static func openForReading(_ path: String) -> CInt {
        // Non-blocking, so that opening a FIFO without a writer does not block before the file is rejected.
        open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBody.ReadResult {
        let wanted = Int(min(Int64(buffer.count), total - position))
        guard wanted > 0 else { return .end }
        var count: Int
        repeat {
            count = pread(descriptor, buffer.baseAddress, wanted, off_t(position))
        } while count < 0 && errno == EINTR
        if count < 0 { return .failed(FileError(path: path, code: errno)) }
        if count == 0 { return .failed(HTTPBody.Failure.lengthMismatch(declared: total, actual: position)) }
        position += Int64(count)
        return .bytes(count)
    }

    func cancel() {}
}
