extension String {
    /// This URL with a scheme of HTTP in place of one of WebSockets (RFC 6455, section 3).
    package var withHTTPScheme: String {
        guard let colon = firstIndex(of: ":") else { return self }
        return switch self[..<colon].lowercased() {
        case "ws": "http" + self[colon...]
        case "wss": "https" + self[colon...]
        default: self
        }
    }

    /// This URL of HTTP with the scheme of a WebSocket.
    var withWebSocketScheme: String { "ws" + dropFirst("http".count) }
}
