import StreamsHTTP

/// The operating system refused something to do with a file or a descriptor.
struct SystemError: Error, CustomStringConvertible {
    /// What was tried, such as `cannot write out.json`.
    let action: String
    /// The system's error number.
    let code: CInt

    /// Whether the reader at the other end has gone.
    var isClosedPipe: Bool { code == EPIPE }

    var description: String { "\(action): \(String(cString: strerror(code)))" }
}
