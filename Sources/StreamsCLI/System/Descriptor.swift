import StreamsHTTP

/// An open descriptor that bytes are written to.
struct Descriptor: Sendable {
    let number: CInt
    /// What messages call it.
    let name: String

    static let standardOutput = Descriptor(number: STDOUT_FILENO, name: "standard output")

    var isTerminal: Bool { isatty(number) == 1 }

    /// Writes all of it, however many pieces the system wants it in.
    func writeAll(_ data: Data) throws(SystemError) {
        var position = 0
        while position < data.count {
            let (count, code) = writeSome(of: data, from: position)
            if count >= 0 {
                position += count
            } else if code == EAGAIN || code == EWOULDBLOCK {
                // Whoever shares the descriptor has made it non-blocking.
                waitUntilWritable()
            } else if code != EINTR {
                throw SystemError(action: "cannot write \(name)", code: code)
            }
        }
    }

    private func writeSome(of data: Data, from position: Int) -> (count: Int, code: CInt) {
        data.withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            let count = write(number, rest.baseAddress, rest.count)
            return (count, errno)
        }
    }

    private func waitUntilWritable() {
        var wanted = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        _ = poll(&wanted, 1, -1)
    }
}
