/// A request to open a WebSocket: the handshake, and the frames that are sent on the connection once it is open.
struct WebSocketUpgrade {
    let handshake: OpeningHandshake
    let frames: FrameQueue

    /// Returns a request that asks for the protocol.
    func upgrading(_ request: TransportRequest) throws(HTTPError.Reason) -> TransportRequest {
        try handshake.check(request)
        var request = request
        request.isUpgrade = true
        request.requiresNewConnection = true
        request.headers = handshake.fields.merging(defaults: request.headers)
        request.body = HTTPBody(.stream(length: nil) { [frames] in frames.open($0) }, contentType: nil)
        return request
    }
}

extension RequestPlan {
    /// Creates the plan of the request that opens a WebSocket.
    convenience init(opening request: HTTPRequest, _ upgrade: WebSocketUpgrade, client: HTTPClient) {
        var request = request
        let options = request.options.merging(defaults: client.configuration.options)
        request.options.retry = .never
        request.options.hedging = .never
        request.options.validation = .upgradeOnly
        request.options.maxErrorBodySize = options.maxErrorBodySize ?? Self.defaultMaxErrorBodySize
        request.options.maxBodySize = .max
        request.options.timeouts.total = nil
        request.options.timeouts.minimumRate = nil
        self.init(
            request, client: client, bodyUse: .deliver, queue: client.innerRequestQueue, takesPlace: false,
            upgrade: upgrade)
    }
}

extension HTTPRequest {
    /// This request with a scheme of HTTP in place of one of WebSockets.
    var withHTTPScheme: HTTPRequest {
        var request = self
        request.target = target.withHTTPScheme
        return request
    }
}

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
