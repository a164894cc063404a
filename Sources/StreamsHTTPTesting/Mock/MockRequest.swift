import StreamsHTTP

/// A request that a ``MockTransport`` received.
public struct MockRequest: Sendable {
    /// The number of the request among all requests of the transport, from 1.
    public let number: Int
    /// The number of the request among all requests of its route, from 1. Zero without a route.
    public let turn: Int
    /// The method.
    public let method: HTTPMethod
    /// The URL.
    public let url: URL
    /// The headers, including credentials.
    public let headers: HTTPHeaders
    /// The body as it is sent, in its content coding. Empty until ``isBodyComplete`` is true.
    public internal(set) var body = Data()
    /// Whether the body has been read.
    public internal(set) var isBodyComplete = false
    /// The messages that the client has sent on the WebSocket that the request has opened.
    public internal(set) var messages: [WebSocket.Message] = []
    /// The code and the reason of the close frame that the client has sent; `nil` if it has sent none.
    public internal(set) var closing: WebSocket.Closing?

    init(_ request: TransportRequest, number: Int, turn: Int) {
        self.number = number
        self.turn = turn
        method = request.method
        url = request.url
        headers = request.headers
    }

    /// Returns this request with its body.
    func with(body: Data) -> MockRequest {
        var copy = self
        copy.body = body
        copy.isBodyComplete = true
        return copy
    }

    /// Records what the client has sent on the WebSocket.
    mutating func record(_ item: FrameReader.Item) {
        switch item {
        case .message(let message): messages.append(message)
        case .close(let code, let reason): closing = WebSocket.Closing(code: code, reason: reason)
        case .ping, .pong: break
        }
    }
}

extension MockRequest: CustomReflectable {
    /// The properties, without secrets. Of the body, only the size is shown, and of messages, the number.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "number": number, "turn": turn, "method": method, "url": Redaction.usual.redacting(url),
                "headers": headers, "body": "\(body.count) bytes", "isBodyComplete": isBodyComplete,
                "messages": messages.count, "closing": closing?.code as Any,
            ], displayStyle: .struct)
    }
}
