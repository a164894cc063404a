extension HTTPError {
    /// A kind of ``Reason/webSocket(_:)``: the reason for the failure of a WebSocket, or of a call that sends on it.
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
        public let closeCode: WebSocketCloseCode?

        package init(
            _ code: Code, _ detail: FailureDetail = .none, closeCode: WebSocketCloseCode? = nil
        ) {
            self.code = code
            self.detail = detail
            self.closeCode = closeCode
        }

        /// The stable name, such as `web-socket.lost`.
        public var name: String { code.rawValue }
        /// The limit in bytes of ``messageTooLarge(limit:)``; `nil` for other kinds.
        public var limit: Int? { detail.number }
        /// The complaint of ``notAccepted(_:)`` and ``protocolError(_:)``, or the reason of ``closed(_:_:)``; `nil` for
        /// other kinds, and for a ``closed(_:_:)`` without a reason.
        public var complaint: String? { detail.text }

        /// Returns whether a kind matches a pattern: it is the same kind, with the same details if the pattern has some.
        public static func ~= (pattern: WebSocketFailure, failure: WebSocketFailure) -> Bool {
            pattern.code == failure.code && pattern.detail.matches(failure.detail)
                && (pattern.closeCode == nil || pattern.closeCode == failure.closeCode)
        }
    }
}

extension HTTPError.WebSocketFailure {
    /// The response is a 101 that does not open the requested WebSocket (RFC 6455, section 4.1): it does not answer this
    /// request, or has a subprotocol or an extension that was not offered.
    public static let notAccepted = Self(.notAccepted)

    /// ``notAccepted`` with a complaint.
    public static func notAccepted(_ complaint: String) -> Self { Self(.notAccepted, .text(complaint)) }

    /// The peer sent a frame that the protocol forbids. The connection is closed with
    /// ``WebSocketCloseCode/protocolError``.
    public static let protocolError = Self(.protocolError)

    /// ``protocolError`` with a complaint.
    public static func protocolError(_ complaint: String) -> Self { Self(.protocolError, .text(complaint)) }

    /// The peer sent a text or a reason that is not UTF-8. The connection is closed with
    /// ``WebSocketCloseCode/invalidPayload``.
    public static let invalidText = Self(.invalidText)

    /// The peer sent a message that cannot be decompressed. The connection is closed with
    /// ``WebSocketCloseCode/invalidPayload``.
    public static let undecodableMessage = Self(.undecodableMessage)

    /// The peer sent a message that is larger than ``WebSocketOptions/maxMessageSize``. The connection is closed with
    /// ``WebSocketCloseCode/messageTooBig``.
    public static let messageTooLarge = Self(.messageTooLarge)

    /// ``messageTooLarge`` with the limit in bytes.
    public static func messageTooLarge(limit: Int) -> Self { Self(.messageTooLarge, .number(limit)) }

    /// The connection ended without a close frame: messages of both sides may have been lost.
    public static let lost = Self(.lost)

    /// The connection has been closed, or is being closed, by either side: nothing can be sent any more. Feeds and
    /// `messages` also fail with it, for a code that says more than that the peer has finished.
    public static let closed = Self(.closed)

    /// ``closed`` with a code and a reason.
    public static func closed(_ code: WebSocketCloseCode, _ reason: String) -> Self {
        Self(.closed, reason.isEmpty ? .none : .text(reason), closeCode: code)
    }

    /// A close frame cannot be sent: its code is reserved (``WebSocketCloseCode/isSendable``), or its reason has more
    /// than 123 bytes.
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

extension HTTPError.Reason {
    /// Whether the peer of a WebSocket has closed it because it has no more to send.
    var isOrderlyClose: Bool {
        guard case .webSocket(let failure) = self else { return false }
        return failure.closeCode?.isInOrder ?? false
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

/// A breach of the protocol by the peer, for which the connection is closed.
package enum WebSocketViolation: Error, Equatable {
    /// A frame that the protocol forbids.
    case frame(String)
    /// A text that is not UTF-8.
    case text
    /// A message that is larger than the limit, in bytes.
    case tooLarge(limit: Int)
    /// A message that cannot be decompressed.
    case compression

    /// The code that the peer is told.
    var code: WebSocketCloseCode {
        switch self {
        case .frame: .protocolError
        case .text, .compression: .invalidPayload
        case .tooLarge: .messageTooBig
        }
    }
}
