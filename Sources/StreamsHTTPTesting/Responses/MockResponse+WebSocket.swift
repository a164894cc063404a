import StreamsHTTP

extension MockResponse {
    /// A step of the peer of a WebSocket; see ``MockResponse/webSocket(subprotocol:_:)``.
    public enum WebSocketStep: Sendable {
        /// Sends a message.
        case send(WebSocket.Message)
        /// Sends a ping.
        case ping
        /// Sends bytes as they are, such as those of a broken frame.
        case bytes(Data)
        /// Waits.
        case wait(Duration)
        /// Waits for a message of the client, and continues with the steps that a closure returns, before those that
        /// follow. The closure is called on the scheduler, or on a thread of the client.
        case answer(@Sendable (WebSocket.Message) -> [WebSocketStep])
        /// Answers no ping and no close frame from now on, as if the peer were gone.
        case stopAnswering
        /// Sends a close frame, waits for that of the client, and ends the connection.
        case close(WebSocketCloseCode = .normal, reason: String = "")
        /// Ends the connection without a close frame.
        case drop
        /// Breaks the connection.
        case fail(HTTPError.Reason)

        /// Sends each message of the client back.
        public static var echo: WebSocketStep { .answer { [.send($0), .echo] } }

        /// Waits for a message of the client.
        public static var receive: WebSocketStep { .answer { _ in [] } }
    }

    /// Creates a response that opens a WebSocket, whose peer follows a script.
    ///
    /// ```swift
    /// mock.on(.get, "/echo", .webSocket(.echo))
    /// mock.on(.get, "/prices", .webSocket(.receive, .send("1"), .drop), .webSocket(.wait(.seconds(5)), .send("2")))
    /// ```
    ///
    /// Meanwhile, and after its last step, the peer answers pings, and a close frame of the client ends the connection
    /// in order. ``MockRequest/messages`` and ``MockRequest/closing`` are what the client has sent. To refuse a
    /// WebSocket, answer with any other response. A request that asks for no WebSocket gets status 426.
    ///
    /// Of the response's faults, only those before its head have an effect; the script has steps for others.
    ///
    /// - Parameters:
    ///   - subprotocol: The subprotocol that the peer chooses; `nil` for none.
    ///   - steps: The steps of the peer.
    public static func webSocket(subprotocol: String? = nil, _ steps: WebSocketStep...) -> MockResponse {
        var response = MockResponse(.switchingProtocols)
        if let subprotocol { response.headers["Sec-WebSocket-Protocol"] = subprotocol }
        response.webSocketSteps = steps
        return response
    }

    /// Returns the header fields that accept a request to open a WebSocket.
    func acceptance(of request: TransportRequest) -> HTTPHeaders {
        let acceptance = OpeningHandshake.acceptance(of: request.headers["Sec-WebSocket-Key"] ?? "")
        return headers.merging(defaults: [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": acceptance,
        ])
    }
}
