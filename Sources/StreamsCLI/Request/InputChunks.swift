import StreamsHTTP

/// What a descriptor has to read, in chunks, once. Reading waits where the writer takes its time.
struct InputChunks: Sequence, IteratorProtocol {
    private static let chunkSize = 64 * 1024

    private let descriptor: CInt
    private let name: String
    private var isAtEnd = false

    init(_ descriptor: CInt, name: String) {
        self.descriptor = descriptor
        self.name = name
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

    /// The chunks as a body that is read only as fast as it is sent.
    func body(contentType: String) -> HTTPBody {
        .stream(length: length, contentType: contentType, publisher.tryMap { try $0.get() })
    }

    /// How much is left where that can be known: when a regular file was redirected here.
    private var length: Int64? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let position = lseek(descriptor, 0, SEEK_CUR)
        return position < 0 ? nil : Int64(Swift.max(status.st_size - position, 0))
    }
}
