import StreamsHTTP

/// Why the tool could not do what it was asked to: how it exits, and what it says.
struct Failure: Error {
    let status: ExitStatus
    /// A short name, fit for a script to look at.
    let kind: String
    let message: String
    /// Whether all that happened is that the reader of the output has gone, as `head` does when it has seen enough.
    var isClosedPipe = false
}

extension Failure {
    init(_ error: HTTPError) {
        self.init(
            status: ExitStatus(error), kind: error.reason.label,
            message: Self.message(error))
    }

    /// Something local that could not be written.
    init(writing error: SystemError) {
        self.init(
            status: .writeFailed, kind: "output", message: error.description, isClosedPipe: error.isClosedPipe)
    }

    /// Something local that could not be read.
    init(reading error: SystemError) {
        self.init(status: .readFailed, kind: "body", message: error.description)
    }

    /// An interruption by a signal.
    init(interruptedBy signal: CInt) {
        self.init(status: .interrupted(by: signal), kind: "cancelled", message: "interrupted")
    }

    private static func message(_ error: HTTPError) -> String {
        switch error.reason {
        case .invalidRequest(.malformedURL) where !error.request.url.contains("://"),
            .invalidRequest(.unsupportedScheme) where !error.request.url.contains("://"):
            "\(error); a URL begins with http:// or https://"
        default:
            error.description
        }
    }
}
