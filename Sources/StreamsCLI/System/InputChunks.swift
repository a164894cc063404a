import StreamsHTTP

/// The content of a descriptor, in chunks, which can be read once. Reading waits for the writer.
struct InputChunks: Sequence, IteratorProtocol {
    private static let chunkSize = 64 * 1024

    private let descriptor: CInt
    private let name: String
    private var isAtEnd = false

    static var standardInput: InputChunks { InputChunks(STDIN_FILENO, name: "standard input") }

    private init(_ descriptor: CInt, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Opens a file. The descriptor is closed when the process ends. Opening a FIFO waits for its writer.
    init(opening path: String) throws(SystemError) {
        var descriptor: CInt
        repeat {
            descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw SystemError(action: "cannot read \(path)", code: errno) }
        self.init(descriptor, name: path)
    }

    mutating func next() -> Result<Data, SystemError>? {
        guard !isAtEnd else { return nil }
        var chunk = Data(count: Self.chunkSize)
        var count: Int
        repeat {
            count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        } while count < 0 && isWorthRepeating(errno)
        guard count > 0 else {
            let code = errno
            isAtEnd = true
            return count == 0 ? nil : .failure(SystemError(action: "cannot read \(name)", code: code))
        }
        return .success(chunk.prefix(count))
    }

    private func isWorthRepeating(_ code: CInt) -> Bool {
        guard code == EAGAIN || code == EWOULDBLOCK else { return code == EINTR }
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&wanted, 1, -1)
        return true
    }

    /// Reads all chunks.
    func readAll() throws(SystemError) -> Data {
        var data = Data()
        for chunk in self { data.append(try chunk.get()) }
        return data
    }

    /// Returns the chunks as a body that is read only as fast as it is sent.
    func body(contentType: String?) -> HTTPBody {
        .stream(length: length, contentType: contentType, publisher.tryMap { try $0.get() })
    }

    /// The number of bytes that are left, if the descriptor is a regular file.
    private var length: Int64? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let position = lseek(descriptor, 0, SEEK_CUR)
        return position < 0 ? nil : Int64(Swift.max(status.st_size - position, 0))
    }
}
