/// A message of a WebSocket.
public enum WebSocketMessage: Sendable, Hashable {
    case text(String)
    case binary([UInt8])
}

extension WebSocketMessage: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        self = .text(text)
    }
}
