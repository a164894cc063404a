extension HTTPError {
    /// A kind of ``Reason/webSocket(_:)``: the reason that a WebSocket failed.
    public struct WebSocketFailure: Hashable, Sendable {
        package enum Code: String, CaseIterable, Sendable {
            case notAccepted = "web-socket.not-accepted"
            case protocolError = "web-socket.protocol-error"
            case invalidText = "web-socket.invalid-text"
            case undecodableMessage = "web-socket.undecodable-message"
            case messageTooLarge = "web-socket.message-too-large"
            case lost = "web-socket.lost"
            case closed = "web-socket.closed"
            case notSendable = "web-socket.not-sendable"
        }

        package let code: Code
        package let detail: FailureDetail
        /// The close code of ``closed(_:_:)``; `nil` for other kinds.
        public let closeCode: WebSocket.CloseCode?

        package init(
            _ code: Code, _ detail: FailureDetail = .none, closeCode: WebSocket.CloseCode? = nil
        ) {
            self.code = code
            self.detail = detail
            self.closeCode = closeCode
        }

        /// The stable name, such as `web-socket.lost`.
        public var name: String { code.rawValue }
        /// The limit in bytes of ``messageTooLarge(limit:)``; `nil` for other kinds.
        public var limit: Int? { detail.number }
        /// What ``notAccepted(_:)`` and ``protocolError(_:)`` complain of, and the reason of ``closed(_:_:)``; `nil` for
        /// other kinds.
        public var complaint: String? { detail.text }

        /// Returns whether a kind matches a pattern: it is the same kind, with the same details if the pattern has some.
        public static func ~= (pattern: WebSocketFailure, failure: WebSocketFailure) -> Bool {
            pattern.code == failure.code && pattern.detail.matches(failure.detail)
                && (pattern.closeCode == nil || pattern.closeCode == failure.closeCode)
        }
    }
}

extension HTTPError.WebSocketFailure {
    /// The response was a 101 that does not open the WebSocket that was asked for.
    public static let notAccepted = Self(.notAccepted)

    /// ``notAccepted`` with what is wrong.
    public static func notAccepted(_ complaint: String) -> Self { Self(.notAccepted, .text(complaint)) }

    /// The peer sent a frame that the protocol forbids. It was told 1002.
    public static let protocolError = Self(.protocolError)

    /// ``protocolError`` with what is wrong.
    public static func protocolError(_ complaint: String) -> Self { Self(.protocolError, .text(complaint)) }

    /// The peer sent a text that is not UTF-8. It was told 1007.
    public static let invalidText = Self(.invalidText)

    /// The peer sent a message that cannot be decompressed. It was told 1007.
    public static let undecodableMessage = Self(.undecodableMessage)

    /// The peer sent a message that is larger than the limit. It was told 1009.
    public static let messageTooLarge = Self(.messageTooLarge)

    /// ``messageTooLarge`` for a limit in bytes.
    public static func messageTooLarge(limit: Int) -> Self { Self(.messageTooLarge, .number(limit)) }

    /// The connection ended without a close frame: messages may have been lost.
    public static let lost = Self(.lost)

    /// The connection has been closed, or is being closed.
    public static let closed = Self(.closed)

    /// ``closed`` with a code and a reason.
    public static func closed(_ code: WebSocket.CloseCode, _ reason: String) -> Self {
        Self(.closed, reason.isEmpty ? .none : .text(reason), closeCode: code)
    }

    /// The close frame cannot be sent: its code is reserved, or its reason too long.
    public static let notSendable = Self(.notSendable)

    /// Creates the failure of a connection whose peer has broken the protocol.
    init(_ violation: WebSocketViolation) {
        self =
            switch violation {
            case .frame(let complaint): .protocolError(complaint)
            case .text: .invalidText
            case .tooLarge(let limit): .messageTooLarge(limit: limit)
            case .compression: .undecodableMessage
            }
    }

    /// Whether another connection may succeed.
    var isTransient: Bool {
        switch code {
        case .lost: true
        case .closed: closeCode?.isTransient ?? false
        default: false
        }
    }
}

extension HTTPError.WebSocketFailure: CustomStringConvertible {
    /// A description of the kind.
    public var description: String {
        switch code {
        case .notAccepted: "the WebSocket was not accepted\(suffix)"
        case .protocolError: "the peer has broken the protocol of WebSockets\(suffix)"
        case .invalidText: "the peer sent a text that is not UTF-8"
        case .undecodableMessage: "the peer sent a message that cannot be decompressed"
        case .messageTooLarge:
            limit.map { "the peer sent a message of more than \($0) bytes" } ?? "the peer sent too large a message"
        case .notSendable: "no close frame may have this code, or a reason this long"
        case .lost: "the connection ended without a close frame"
        case .closed: "the WebSocket is closed\(closeCode.map { ", with code \($0)" } ?? "")\(suffix)"
        }
    }

    private var suffix: String { complaint.map { ": \($0)" } ?? "" }
}
