/// A body source that reads a regular file while it is sent.
final class FileBody: HTTPBody.Source {
    private let path: String
    private let descriptor: CInt
    /// The length in bytes; `nil` if it is unknown before the end.
    let length: Int64?
    // Safe because only the transport reads, one call at a time.
    nonisolated(unsafe) private var position: Int64 = 0

    init(path: String) throws(FileError) {
        try path.checkPath()
        self.path = path
        // Non-blocking, so that opening a FIFO without a writer does not block before the file is rejected.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
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
        length = Self.length(status.st_size, of: descriptor)
    }

    deinit {
        close(descriptor)
    }

    /// Returns the length of a file by its size. The files of `/proc` have content, and the size 0.
    private static func length(_ size: off_t, of descriptor: CInt) -> Int64? {
        var byte: UInt8 = 0
        // A failure is reported by the next read.
        return size > 0 || pread(descriptor, &byte, 1, 0) == 0 ? Int64(size) : nil
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBody.ReadResult {
        let wanted = length.map { Int(min(Int64(buffer.count), $0 - position)) } ?? buffer.count
        guard wanted > 0 else { return .end }
        var count: Int
        repeat {
            count = pread(descriptor, buffer.baseAddress, wanted, off_t(position))
        } while count < 0 && errno == EINTR
        if count < 0 { return .failed(FileError(path: path, code: errno)) }
        if count == 0 {
            guard let length else { return .end }
            return .failed(HTTPBody.Failure.lengthMismatch(declared: length, actual: position))
        }
        position += Int64(count)
        return .bytes(count)
    }

    func cancel() {}
}

extension Folder {
    /// Returns a file's contents.
    package static func contents(of path: String) throws -> Data {
        let file = try FileBody(path: path)
        var contents = Data()
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            switch buffer.withUnsafeMutableBytes({ file.read(into: $0) }) {
            case .bytes(let count): contents.append(contentsOf: buffer[..<count])
            case .failed(let error): throw error
            case .end, .waiting: return contents
            }
        }
    }
}
