extension HTTPClient {
    /// Returns the messages of a WebSocket that is opened again when its connection breaks.
    ///
    /// ```swift
    /// let prices = client.webSocketFeed(for: HTTPRequest(.get, "wss://example.com/prices")) { position in
    ///     [.text("subscribe from \(position ?? "now")")]
    /// }
    /// ```
    ///
    /// It is opened again after a transient failure, such as ``HTTPError/WebSocketFailure/lost`` or
    /// ``HTTPError/Timeout/pong``, and after the close codes 1000, 1001, 1005 and 1011 to 1014. Any other code ends the
    /// feed with ``HTTPError/WebSocketFailure/closed(_:_:)``. ``FeedOptions/ReconnectPolicy/shouldRetry`` may decide
    /// otherwise; a feed that does not connect again after 1000, 1001 or 1005 finishes. When the client shuts down, the
    /// connection is closed with 1001, and the feed finishes with it.
    ///
    /// With a cursor, the position after the last message is kept, and passed to the closure when the connection is
    /// opened again. Without a position, each reconnection is reported as a ``FeedGap/notResumable``. <doc:WebSockets>
    /// has an example.
    ///
    /// - Parameters:
    ///   - request: The request of each connection, with the method GET and without a body.
    ///   - cursor: The position in the feed; `nil` for none.
    ///   - options: The rules for connecting again and for repeated messages. The limit on a message is
    ///     ``WebSocketOptions/maxMessageSize``, not ``FeedOptions/maxElementSize``.
    ///   - socketOptions: The options of each connection.
    ///   - onOpen: A closure that returns the first messages to send on each connection. Called once for each, with the
    ///     position after the last message, on the thread that delivers the events; must return quickly.
    public func webSocketFeed(
        for request: HTTPRequest, cursor: Feed<WebSocket.Message>.Cursor? = nil, options: FeedOptions = FeedOptions(),
        socketOptions: WebSocketOptions = WebSocketOptions(),
        onOpen: @escaping @Sendable (_ position: String?) -> [WebSocket.Message] = { _ in [] }
    ) -> Feed<WebSocket.Message> {
        let socketOptions = socketOptions.merging(defaults: configuration.webSocketOptions)
        return feed(request.summary(configuration.redaction), options) { _ in
            WebSocketSource(request, clock: clock, options: socketOptions, cursor: cursor, onOpen: onOpen)
        }
    }
}

extension Feed.Cursor where Element == WebSocket.Message {
    /// Creates a cursor for a server that is told the position by a message, not by the request.
    ///
    /// - Parameter position: Returns the position after a message; `nil` if the message does not change it.
    public init(position: @escaping @Sendable (WebSocket.Message) -> String?) {
        self.init(position: position) { request, _ in request }
    }
}
