import StreamsHTTP

/// A destination of a response's body.
protocol BodyOutput {
    /// The path of the file, which a response may change; `nil` if the output is no file of its own.
    var filePath: String? { get }
    /// Prepares the output for the response whose body is written next. Called once, before anything is written.
    func begin(_ head: HTTPResponse<Void>) throws(SystemError)
    /// Writes the next piece.
    func write(_ chunk: Data) throws(SystemError)
    /// Completes the output after the last piece. If that fails, the output is discarded.
    func commit() throws(SystemError)
    /// Removes the output as far as possible. No more pieces follow.
    func discard()
}

extension BodyOutput {
    var filePath: String? { nil }

    func begin(_ head: HTTPResponse<Void>) {}
}

/// An output that cannot be removed: standard output, a device or a FIFO, or a file that is continued.
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
        try self.init(path, O_WRONLY)
    }

    /// Opens a file to continue it, or creates it.
    ///
    /// - Parameter offset: The number of bytes after which it is continued. With 0, its content is replaced.
    init(continuing path: String, after offset: Int64) throws(SystemError) {
        try self.init(path, O_WRONLY | O_APPEND | O_CREAT | (offset == 0 ? O_TRUNC : 0))
    }

    private init(_ path: String, _ flags: CInt) throws(SystemError) {
        var number: CInt
        repeat {
            number = open(path, flags | O_CLOEXEC | O_NOCTTY, 0o666)
        } while number < 0 && errno == EINTR
        guard number >= 0 else { throw SystemError(action: "cannot open \(path)", code: errno) }
        descriptor = Descriptor(number: number, name: path)
    }
}
