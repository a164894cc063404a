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
/// pongs are sent by the client alone; see ``WebSocketOptions/pingInterval``. <doc:WebSockets> describes the rest.
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
        /// The code of the peer; ``WebSocketCloseCode/noCode`` if its close frame has none, and
        /// ``WebSocketCloseCode/noClose`` if the program has closed the connection and the peer has sent no close frame.
        public let code: WebSocketCloseCode
        /// The reason of the peer, at most 123 bytes; empty if it gave none. It is shown unchanged: a peer may write
        /// anything into it.
        public let reason: String
        /// Whether both sides have sent a close frame (RFC 6455, section 7.1.4).
        public let isClean: Bool
        /// The number of messages that the peer sent after the program had closed the connection and that were dropped,
        /// because one of them was not requested.
        public let droppedMessageCount: Int

        /// Creates an end; the properties describe the parameters.
        public init(code: WebSocketCloseCode, reason: String = "", isClean: Bool = true, droppedMessageCount: Int = 0) {
            self.code = code
            self.reason = reason
            self.isClean = isClean
            self.droppedMessageCount = droppedMessageCount
        }
    }
}

extension WebSocket.Message: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        self = .text(text)
    }
}
