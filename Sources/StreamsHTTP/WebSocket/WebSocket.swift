/// An open WebSocket (RFC 6455), with which a program sends messages and closes the connection.
///
/// ```swift
/// for try await event in client.webSocket(for: HTTPRequest(.get, "wss://example.com/prices")).values {
///     switch event {
///     case .open(let socket): try await socket.send("subscribe")
///     case .message(let message): print(message)
///     case .closed(let closing): print(closing)
///     }
/// }
/// ```
///
/// It can be used by any thread and any task. It does not keep the connection open: the subscription does. Pings and
/// pongs are sent by the client alone; see ``Options/pingInterval``. <doc:WebSockets> describes the rest.
public struct WebSocket: Sendable {
    /// The head of the response that opened the connection.
    public let head: HTTPResponse<Void>
    /// The subprotocol that the server has chosen from those offered; `nil` if it chose none.
    public let subprotocol: String?
    let frames: FrameQueue
    let summary: HTTPError.RequestSummary
}

extension WebSocket {
    /// A message. A string literal is a text.
    public enum Message: Hashable, Sendable {
        /// A text, which is sent in UTF-8.
        case text(String)
        /// Any bytes.
        case binary(Data)
    }

    /// An event of a connection.
    ///
    /// ```
    /// open message* closed
    /// ```
    ///
    /// A failure may end the sequence at any point.
    public enum Event: Sendable {
        /// The connection is open.
        case open(WebSocket)
        /// A message has been received whole.
        case message(Message)
        /// The connection has ended after a close frame of either side. The stream finishes after it.
        case closed(Closing)
    }

    /// The end of a connection that one side has closed.
    public struct Closing: Hashable, Sendable {
        /// The code of the peer; ``CloseCode/noCode`` if its close frame has none, and ``CloseCode/noClose`` if the
        /// program has closed the connection and the peer has sent no close frame.
        public let code: CloseCode
        /// The reason of the peer, at most 123 bytes; empty if it gave none. It is shown unchanged: a peer may write
        /// anything into it.
        public let reason: String
        /// Whether both sides have sent a close frame (RFC 6455, section 7.1.4).
        public let isClean: Bool
        /// The number of messages that the peer sent after the program had closed the connection and that were dropped,
        /// because one of them was not requested.
        public let droppedMessageCount: Int

        /// Creates an end; the properties describe the parameters.
        public init(code: CloseCode, reason: String = "", isClean: Bool = true, droppedMessageCount: Int = 0) {
            self.code = code
            self.reason = reason
            self.isClean = isClean
            self.droppedMessageCount = droppedMessageCount
        }
    }

    /// A code that tells why a connection is closed (RFC 6455, section 7.4).
    ///
    /// ```swift
    /// let sessionExpired = WebSocket.CloseCode(rawValue: 4001)
    /// ```
    public struct CloseCode: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// The purpose of the connection is fulfilled: 1000.
        public static let normal = CloseCode(rawValue: 1000)
        /// The server shuts down, or the client leaves: 1001.
        public static let goingAway = CloseCode(rawValue: 1001)
        /// The peer has broken the protocol: 1002.
        public static let protocolError = CloseCode(rawValue: 1002)
        /// The peer has sent a kind of message that is not supported: 1003.
        public static let unsupportedData = CloseCode(rawValue: 1003)
        /// The close frame had no code: 1005. Never sent.
        public static let noCode = CloseCode(rawValue: 1005)
        /// There was no close frame: 1006. Never sent.
        public static let noClose = CloseCode(rawValue: 1006)
        /// A text was not UTF-8: 1007.
        public static let invalidPayload = CloseCode(rawValue: 1007)
        /// A message violates the policy of the receiver: 1008.
        public static let policyViolation = CloseCode(rawValue: 1008)
        /// A message is too large for the receiver: 1009.
        public static let messageTooBig = CloseCode(rawValue: 1009)
        /// The server lacks an extension that the client requires: 1010.
        public static let missingExtension = CloseCode(rawValue: 1010)
        /// The server has failed: 1011.
        public static let internalError = CloseCode(rawValue: 1011)

        /// Whether a close frame may have the code: one that is registered with IANA for that, or one from 3000 to 4999,
        /// which are for libraries and applications (RFC 6455, section 7.4.2).
        public var isSendable: Bool {
            switch rawValue {
            case 1000...1003, 1007...1014, 3000...4999: true
            default: false
            }
        }
    }
}

extension WebSocket.Message: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        self = .text(text)
    }
}

extension WebSocket.CloseCode: CustomStringConvertible {
    public var description: String { String(rawValue) }
}
