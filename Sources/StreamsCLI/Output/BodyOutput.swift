import StreamsHTTP

/// A destination of a response's body.
protocol BodyOutput {
    /// Writes the next piece.
    func write(_ chunk: Data) throws(SystemError)
    /// Completes the output after the last piece. If that fails, the output is discarded.
    func commit() throws(SystemError)
    /// Removes the output as far as possible. No more pieces follow.
    func discard()
}

/// An output that cannot be removed: standard output, a device or a FIFO.
struct StreamOutput: BodyOutput {
    let descriptor: Descriptor

    func write(_ chunk: Data) throws(SystemError) {
        try descriptor.writeAll(chunk)
    }

    func commit() {}

    func discard() {}
}

extension StreamOutput {
    /// Opens an existing file that is not regular. Opening a FIFO waits for its reader.
    init(opening path: String) throws(SystemError) {
        var number: CInt
        repeat {
            number = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        } while number < 0 && errno == EINTR
        guard number >= 0 else { throw SystemError(action: "cannot open \(path)", code: errno) }
        descriptor = Descriptor(number: number, name: path)
    }
}
