import StreamsHTTP

/// An error of the operating system for a file or a descriptor.
struct SystemError: Error, CustomStringConvertible {
    /// The action that failed, such as `cannot write out.json`.
    let action: String
    /// The system's error number.
    let code: CInt

    /// Whether the reader of a pipe has closed its end.
    var isClosedPipe: Bool { code == EPIPE }

    var description: String { "\(action): \(String(cString: strerror(code)))" }
}
