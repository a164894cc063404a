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
            upgrade: upgrade.upgrading)
    }
}
