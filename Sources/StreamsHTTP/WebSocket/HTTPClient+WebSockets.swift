extension HTTPClient {
    /// Returns a WebSocket (RFC 6455) as a stream of events. Each subscription opens one.
    ///
    /// ```swift
    /// for try await message in client.webSocket(for: HTTPRequest(.get, "wss://example.com/prices")).messages {
    ///     print(message)
    /// }
    /// ```
    ///
    /// The request has the header fields, the credentials and the connection's options of any request; its scheme may be
    /// `ws` or `wss` in place of `http` or `https`. A response other than 101 fails the stream with
    /// ``HTTPError/Reason/status(_:)``, with its content. <doc:WebSockets> describes sending, closing and the errors.
    ///
    /// - Parameters:
    ///   - request: The request that opens the connection, with the method GET and without a body.
    ///   - options: The options of the WebSocket.
    /// - Returns: A cold publisher. Nothing is sent before there is demand.
    public func webSocket(
        for request: HTTPRequest, options: WebSocketOptions = WebSocketOptions()
    ) -> WebSocket.Events {
        WebSocket.Events(
            client: self, request: request, options: options.merging(defaults: configuration.webSocketOptions))
    }
}

extension WebSocket {
    /// A cold publisher of the events of a WebSocket. Each subscription opens a connection.
    ///
    /// ```
    ///        open──message──message──message──closed─|
    /// ```
    ///
    /// **Demand** Nothing is sent before there is demand. Each event consumes one unit of demand. Without demand, the
    /// peer waits, and its pings are not answered: at most 1 MiB of what it has sent and one message are buffered.
    /// **Completion** After ``Event/closed(_:)``, or with an ``HTTPError``. A connection that ends without a close frame
    /// is a failure. When the client shuts down, an open connection is closed with ``WebSocketCloseCode/goingAway``, and
    /// a subscription whose connection is not open yet finishes. It finishes without ``Event/closed(_:)`` then if that
    /// has not been requested.
    /// **Cancellation** Ends the connection at once, without a close frame; ``WebSocket/close(code:reason:)`` sends one.
    /// Nothing is delivered afterwards, and calls that wait throw ``HTTPError/Reason/cancelled``.
    /// **Threads** Events are delivered serially, on a system thread or on that which requests them. A subscriber may
    /// block it.
    public struct Events: Publisher, Sendable {
        public typealias Output = Event
        public typealias Failure = HTTPError

        let client: HTTPClient
        let request: HTTPRequest
        let options: WebSocketOptions

        @inlinable
        public func receive<Downstream: Subscriber>(
            subscriber: Downstream
        ) where Downstream.Input == Event, Downstream.Failure == HTTPError {
            start(AnySubscriber(subscriber))
        }

        @usableFromInline
        func start(_ subscriber: AnySubscriber<Event, HTTPError>) {
            let series = WebSocketSeries(request, client: client, options: options)
            subscriber.receive(subscription: SeriesSubscription(series, downstream: subscriber))
        }
    }
}

extension WebSocket.Events {
    /// The events as an asynchronous sequence, which throws ``HTTPError``.
    ///
    /// Each call of `next()` requests one event. When the iterating task is cancelled or the loop is left, the connection
    /// is ended without a close frame. A cancelled iteration throws an error whose reason is
    /// ``HTTPError/Reason/cancelled``.
    public var values: AsyncTypedThrowingPublisher<Self> {
        AsyncTypedThrowingPublisher(self, cancellation: HTTPError(.cancelled, request: summary))
    }

    /// The messages alone, as an asynchronous sequence, which throws ``HTTPError``.
    ///
    /// The sequence ends when the peer closes the connection with ``WebSocketCloseCode/normal``,
    /// ``WebSocketCloseCode/goingAway`` or ``WebSocketCloseCode/noCode``, or does not answer when this side has closed it,
    /// and throws ``HTTPError/WebSocketFailure/closed(_:_:)`` for any other code. Otherwise as ``values``.
    public var messages: AsyncTypedThrowingPublisher<some Publisher<WebSocket.Message, HTTPError>> {
        let summary = summary
        let messages = tryCompactMap { event throws(HTTPError) in
            switch event {
            case .open: return nil as WebSocket.Message?
            case .message(let message): return message
            case .closed(let closing):
                guard closing.code.isInOrder else {
                    throw HTTPError(.webSocket(.closed(closing.code, closing.reason)), request: summary)
                }
                return nil
            }
        }
        return AsyncTypedThrowingPublisher(
            messages.mapError { $0 as? HTTPError ?? HTTPError(.cancelled, request: summary) },
            cancellation: HTTPError(.cancelled, request: summary))
    }

    private var summary: HTTPError.RequestSummary { request.summary(client.configuration.redaction) }
}

extension WebSocket.Events: CustomReflectable {
    /// The method and URL, without secrets.
    public var customMirror: Mirror { Mirror(self, children: ["method": summary.method, "url": summary.url]) }
}
