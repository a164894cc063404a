import StreamsHTTP

/// The reason why the tool failed, with its exit status and message.
struct Failure: Error {
    /// The maximum number of characters of a response's content in a message.
    private static let maxContentLength = 500

    let status: ExitStatus
    /// A short name for scripts.
    let kind: String
    private(set) var message: String
    /// Whether a redirect was not followed.
    var isRedirect = false
    /// Whether the reader of the output has closed its end, as `head` does.
    var isClosedPipe = false
}

extension Failure {
    init(_ error: HTTPError) {
        self.init(
            status: ExitStatus(error), kind: error.name,
            message: Self.message(error))
        if case .redirect = error.reason { isRedirect = true }
    }

    /// Creates the failure of a feed or a WebSocket.
    ///
    /// - Parameter withContent: Whether the message has the beginning of the content of a response that is an error.
    init(_ error: HTTPError, withContent: Bool) {
        self.init(error)
        guard withContent, let content = error.response?.body, !content.isEmpty else { return }
        let text = String(decoding: content, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        message += ": \(text.prefix(Self.maxContentLength))"
    }

    /// Creates the failure to write a local file or descriptor.
    init(writing error: SystemError) {
        self.init(
            status: .writeFailed, kind: "output", message: error.description, isClosedPipe: error.isClosedPipe)
    }

    /// Creates the failure to read a local file or descriptor.
    init(reading error: SystemError) {
        self.init(status: .readFailed, kind: HTTPError.Thrower.body.name, message: error.description)
    }

    /// Creates the failure of an interruption by a signal.
    init(interruptedBy signal: CInt) {
        self.init(status: .interrupted(by: signal), kind: HTTPError.Reason.cancelled.name, message: "interrupted")
    }

    private static func message(_ error: HTTPError) -> String {
        switch error.reason {
        // The reason names the client and its base URL, which a user of the tool cannot set.
        case .invalidRequest(.missingBaseURL):
            "\(error.request.method) \(error.request.url): the URL has no host; a URL begins with a host or a scheme"
        case .invalidRequest(.malformedURL) where !error.request.url.contains("://"):
            "\(error); a URL begins with a host, or with http:// or https://"
        case .invalidRequest(.unsupportedScheme) where error.request.url.lowercased().hasPrefix("ws"):
            "\(error); streams ws opens WebSockets"
        default:
            error.description
        }
    }
}
