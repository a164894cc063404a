extension HTTPError {
    /// A kind of ``Reason/transfer(_:)``: the reason that an exchange failed.
    public struct Transfer: Hashable, Sendable {
        package enum Code: String, CaseIterable, Sendable {
            case sendFailed = "transfer.send-failed"
            case receiveFailed = "transfer.receive-failed"
            case emptyReply = "transfer.empty-reply"
            case reusedConnectionLost = "transfer.reused-connection-lost"
            case requestRefused = "transfer.request-refused"
            case notHTTP = "transfer.not-http"
            case bodyEndedEarly = "transfer.body-ended-early"
            case bodyTooLarge = "transfer.body-too-large"
            case headTooLarge = "transfer.head-too-large"
            case elementTooLarge = "transfer.element-too-large"
            case unexpectedContentType = "transfer.unexpected-content-type"
            case undecodableContent = "transfer.undecodable-content"
            case checksumMismatch = "transfer.checksum-mismatch"
            case unexpectedRange = "transfer.unexpected-range"
            case protocolError = "transfer.protocol-error"
            case other = "transfer.other"
        }

        package let detail: FailureDetail
        package let code: Code

        package init(_ code: Code, _ detail: FailureDetail = .none) {
            self.code = code
            self.detail = detail
        }

        /// The stable name, such as `transfer.empty-reply`.
        public var name: String { code.rawValue }
        /// The limit in bytes of ``bodyTooLarge(limit:)`` and ``elementTooLarge(limit:)``; `nil` for other kinds.
        public var limit: Int? { detail.number }
        /// The value of `Content-Type` of ``unexpectedContentType(_:)``; `nil` for other kinds.
        public var contentType: String? { code == .unexpectedContentType ? detail.text : nil }
        /// The expected checksum of ``checksumMismatch(expected:)``; `nil` for other kinds.
        public var checksum: String? { code == .checksumMismatch ? detail.text : nil }
        /// The rule that the response breaks, of ``protocolError``; `nil` for other kinds, and if it is another rule.
        package var violation: ProtocolViolation? { detail.violation }

        /// Returns whether a kind matches a pattern: it is the same kind, with the same limit if the pattern has one.
        public static func ~= (pattern: Transfer, transfer: Transfer) -> Bool {
            pattern.code == transfer.code && pattern.detail.matches(transfer.detail)
        }
    }
}

extension HTTPError.Transfer {
    /// The connection broke while the request was sent.
    public static let sendFailed = Self(.sendFailed)

    /// The connection broke while the response was received. Over HTTP/2, the server has reset the stream before
    /// the head of the response.
    public static let receiveFailed = Self(.receiveFailed)

    /// The connection closed before the first byte of the response or, over HTTP/2, broke before its head.
    public static let emptyReply = Self(.emptyReply)

    /// A connection that other requests had used, or shared by HTTP/2, broke after the request had been sent, before
    /// the response. The server may have processed the request. If the method is idempotent and the body replayable,
    /// the request has been repeated once (RFC 9110, section 9.2.2); otherwise it has not.
    public static let reusedConnectionLost = Self(.reusedConnectionLost)

    /// The server has refused the request without processing it, as it may over HTTP/2 when it has too much to do or
    /// ends the connection (RFC 9113, section 8.7): four times, or once if the body cannot be sent again. The request
    /// can be sent again, whatever its method is.
    public static let requestRefused = Self(.requestRefused)

    /// The response does not begin with a status line of HTTP, or the server switched to another protocol, which only a
    /// WebSocket asks for (RFC 9110, section 7.8).
    public static let notHTTP = Self(.notHTTP)

    /// ``notHTTP`` with the value of `Upgrade`.
    static func notHTTP(switchedTo name: String?) -> Self { Self(.notHTTP, .text(name ?? "another protocol")) }

    /// The connection closed or, over HTTP/2, the stream was reset before the whole body was received, or the body lacks
    /// the end of its content coding.
    public static let bodyEndedEarly = Self(.bodyEndedEarly)

    /// The response's body is larger than ``RequestOptions/maxBodySize``.
    public static let bodyTooLarge = Self(.bodyTooLarge)

    /// ``bodyTooLarge`` for a limit in bytes.
    public static func bodyTooLarge(limit: Int) -> Self { Self(.bodyTooLarge, .number(limit)) }

    /// The response's head, its informational heads or its trailers exceed
    /// ``RequestOptions/headLimits-swift.property``, or limits of the transport.
    public static let headTooLarge = Self(.headTooLarge)

    /// An element of a feed is larger than ``FeedOptions/maxElementSize``.
    public static let elementTooLarge = Self(.elementTooLarge)

    /// ``elementTooLarge`` for a limit in bytes.
    public static func elementTooLarge(limit: Int) -> Self { Self(.elementTooLarge, .number(limit)) }

    /// The response of a feed is not of its media type.
    public static let unexpectedContentType = Self(.unexpectedContentType)

    /// ``unexpectedContentType`` with the value of `Content-Type`.
    public static func unexpectedContentType(_ contentType: String) -> Self {
        Self(.unexpectedContentType, .text(contentType))
    }

    /// The body cannot be decoded as `Content-Encoding` specifies, its checksum differs, or it has a transfer coding,
    /// which is never requested.
    public static let undecodableContent = Self(.undecodableContent)

    /// A downloaded file has another checksum than ``DownloadOptions/checksum``, or than a `Repr-Digest` or
    /// `Content-Digest` of the response (RFC 9530). What was downloaded has been removed.
    public static let checksumMismatch = Self(.checksumMismatch)

    /// ``checksumMismatch`` with the expected checksum.
    public static func checksumMismatch(expected: FileChecksum) -> Self {
        Self(.checksumMismatch, .text(expected.description))
    }

    /// The response to a download contains another range than the requested one, or a range that was not requested.
    public static let unexpectedRange = Self(.unexpectedRange)

    /// The peer violated the protocol in another way, such as by an unsupported version, a malformed field, chunk or
    /// frame, or by frames of HTTP/2 without end that do no work. The description says in which.
    public static let protocolError = Self(.protocolError)

    /// ``protocolError`` with the rule that the response breaks.
    package static func protocolError(_ violation: ProtocolViolation) -> Self {
        Self(.protocolError, .violation(violation))
    }

    /// The transport failed in another way; see ``HTTPError/underlying``.
    public static let other = Self(.other)
}

extension HTTPError.Transfer {
    /// Whether another attempt may succeed, by the default rule of a ``RetryPolicy``.
    var isTransient: Bool {
        switch code {
        case .sendFailed, .receiveFailed, .emptyReply, .reusedConnectionLost, .requestRefused, .bodyEndedEarly,
            .protocolError:
            true
        case .notHTTP, .bodyTooLarge, .headTooLarge, .elementTooLarge, .unexpectedContentType, .undecodableContent,
            .checksumMismatch, .unexpectedRange, .other:
            false
        }
    }
}

extension HTTPError.Transfer: CustomStringConvertible {
    /// A description of the kind.
    public var description: String {
        switch code {
        case .sendFailed: "sending failed"
        case .receiveFailed: "receiving failed"
        case .emptyReply: "the server closed the connection without a response"
        case .reusedConnectionLost:
            "the reused connection broke before the response, and the request may have been processed"
        case .requestRefused: "the server refused the request without processing it"
        case .notHTTP: detail.text.map { "the server switched to \($0)" } ?? "the reply is not HTTP"
        case .bodyEndedEarly: "the body ended early"
        case .bodyTooLarge: "the body is larger than \(limit.map { "\($0) bytes" } ?? "the limit")"
        case .headTooLarge: "the response's head is too large"
        case .elementTooLarge: "an element is larger than \(limit.map { "\($0) bytes" } ?? "the limit")"
        case .unexpectedContentType:
            "the response has an unexpected content type\(contentType.map { ": \($0.isEmpty ? "none" : $0)" } ?? "")"
        case .undecodableContent: "the content encoding cannot be decoded"
        case .checksumMismatch: "the checksum of the file is not \(checksum ?? "the expected one")"
        case .unexpectedRange: "the response contains another range than requested"
        case .protocolError: "the server broke the protocol\(violation.map { ": \($0.rawValue)" } ?? "")"
        case .other: "the transport failed"
        }
    }
}

/// The way in which a response breaks the rules of HTTP: the detail of ``HTTPError/Transfer/protocolError``.
package enum ProtocolViolation: String, Sendable {
    case version = "the version of HTTP is unsupported"
    case status = "the status is not one of 100 to 599"
    case field = "a field is malformed"
    case length = "the length is invalid"
    case transferCoding = "the last transfer coding is not chunked"
    case chunk = "a chunk is malformed"
    case frame = "a frame is malformed or out of turn"
    case flood = "the server sends frames without end that do no work"
}
