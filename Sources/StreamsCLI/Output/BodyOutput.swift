import StreamsHTTP

/// Where the body of a response goes.
protocol BodyOutput {
    /// Writes the next piece.
    func write(_ chunk: Data) throws(SystemError)
    /// Completes it: all pieces have come. Where that fails, it is taken back.
    func commit() throws(SystemError)
    /// Takes it back as far as that is possible: no more pieces will come.
    func discard()
}

/// Something that takes the body as it comes and keeps what it got: standard output, a device, a FIFO.
struct StreamOutput: BodyOutput {
    let descriptor: Descriptor

    func write(_ chunk: Data) throws(SystemError) {
        try descriptor.writeAll(chunk)
    }

    func commit() {}

    func discard() {}
}

extension StreamOutput {
    /// Opens what exists and is no regular file. With a FIFO, this waits for its reader.
    init(opening path: String) throws(SystemError) {
        var number: CInt
        repeat {
            number = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        } while number < 0 && errno == EINTR
        guard number >= 0 else { throw SystemError(action: "cannot open \(path)", code: errno) }
        descriptor = Descriptor(number: number, name: path)
    }
}
