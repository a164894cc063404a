import StreamsHTTP

/// An open descriptor that bytes are written to.
struct Descriptor: Sendable {
    let number: CInt
    /// The name in messages.
    let name: String

    static let standardOutput = Descriptor(number: STDOUT_FILENO, name: "standard output")
    static let standardError = Descriptor(number: STDERR_FILENO, name: "standard error")

    var isTerminal: Bool { isatty(number) == 1 }

    /// Whether both are open for the same terminal.
    func isSameTerminal(as other: Descriptor) -> Bool {
        var (status, otherStatus) = (stat(), stat())
        guard isTerminal, fstat(number, &status) == 0, fstat(other.number, &otherStatus) == 0 else { return false }
        return other.isTerminal && status.st_rdev == otherStatus.st_rdev
    }

    /// Writes data, in as many pieces as the system takes.
    func writeAll(_ data: Data) throws(SystemError) {
        var position = 0
        while position < data.count {
            let (count, code) = writeSome(of: data, from: position)
            if count >= 0 {
                position += count
            } else if code == EAGAIN || code == EWOULDBLOCK {
                // Another process with the same descriptor has made it non-blocking.
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
