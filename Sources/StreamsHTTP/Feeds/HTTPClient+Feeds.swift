extension HTTPClient {
    /// Returns the events of a stream of server-sent events, which connects again with the ID of the last event.
    ///
    /// ```swift
    /// for try await event in client.serverSentEvents(for: HTTPRequest(.get, "/orders")).values {
    ///     print(event.type, event.data)
    /// }
    /// ```
    ///
    /// A response whose content type is not `text/event-stream`, or whose status is neither 200 nor 204, fails the
    /// feed. A status of 204 ends it.
    ///
    /// - Parameters:
    ///   - request: The request of each connection. It may have any method, so each body must be replayable.
    ///   - lastEventID: The ID to resume after, such as one from an earlier run of the program. An ID with control
    ///     characters, or of more than 8,000 bytes, cannot be sent; see ``FeedGap/notResumable``.
    ///   - options: The options of the feed.
    public func serverSentEvents(
        for request: HTTPRequest, lastEventID: String = "", options: FeedOptions = FeedOptions()
    ) -> Feed<ServerSentEvent<String>> {
        feed(request, options) { options in
            ServerSentEventSource(request, lastEventID: lastEventID, options: options) { $0 }
        }
    }

    /// Returns the events of a stream of server-sent events with their data decoded; see
    /// ``serverSentEvents(for:lastEventID:options:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the data.
    ///   - request: The request of each connection.
    ///   - lastEventID: The ID to resume after.
    ///   - options: The options of the feed.
    public func serverSentEvents<Content: Decodable & Sendable>(
        of type: Content.Type, for request: HTTPRequest, lastEventID: String = "",
        options: FeedOptions = FeedOptions()
    ) -> Feed<ServerSentEvent<Content>> {
        let decoder = configuration.coders.decoder(forContentType: "application/json")
        return feed(request, options) { options in
            ServerSentEventSource(request, lastEventID: lastEventID, options: options) {
                $0.replacingData(try decoder.decode(Content.self, from: Data($0.data.utf8)))
            }
        }
    }

    /// Returns the decoded lines of a body without an end: one JSON text a line, split at line feeds only.
    ///
    /// ```swift
    /// let cursor = Feed<WatchEvent>.Cursor.query("resourceVersion") { $0.object.metadata.resourceVersion }
    /// let pods = client.jsonLines(of: WatchEvent.self, for: request, cursor: cursor)
    /// ```
    ///
    /// With a cursor, each connection resumes where the last one broke off; if the server no longer knows the position
    /// (status 410), the feed starts over. Without, each reconnection is reported as a ``FeedGap/notResumable``.
    ///
    /// - Parameters:
    ///   - type: The type of the elements.
    ///   - request: The request of each connection.
    ///   - cursor: The position in the feed; `nil` for none.
    ///   - options: The options of the feed.
    public func jsonLines<Element: Decodable & Sendable>(
        of type: Element.Type, for request: HTTPRequest, cursor: Feed<Element>.Cursor? = nil,
        options: FeedOptions = FeedOptions()
    ) -> Feed<Element> {
        records(request, cursor, options) { LineFraming<Data>(maxElementSize: $0) }
    }

    /// Returns the decoded texts of a JSON text sequence (RFC 7464) without an end; see
    /// ``jsonLines(of:for:cursor:options:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the elements.
    ///   - request: The request of each connection.
    ///   - cursor: The position in the feed; `nil` for none.
    ///   - options: The options of the feed.
    public func jsonSequence<Element: Decodable & Sendable>(
        of type: Element.Type, for request: HTTPRequest, cursor: Feed<Element>.Cursor? = nil,
        options: FeedOptions = FeedOptions()
    ) -> Feed<Element> {
        records(request, cursor, options) { JSONSequenceFraming(maxElementSize: $0) }
    }

    /// Returns the lines of a body without an end, undecoded; see ``jsonLines(of:for:cursor:options:)``.
    ///
    /// - Parameters:
    ///   - request: The request of each connection.
    ///   - cursor: The position in the feed; `nil` for none.
    ///   - options: The options of the feed.
    public func lines(
        for request: HTTPRequest, cursor: Feed<Data>.Cursor? = nil, options: FeedOptions = FeedOptions()
    ) -> Feed<Data> {
        feed(request, options) { options in
            RecordSource(
                request, framing: LineFraming<Data>(maxElementSize: options.maxElementSize), cursor: cursor,
                options: options
            ) { $0 }
        }
    }

    /// Returns the responses of a long poll: a server holds each request back until it has something to say.
    ///
    /// ```swift
    /// let changes = client.longPolls(for: HTTPRequest(.get, "/changes")) { response in
    ///     HTTPRequest(.get, "/changes?since=\(response.headers["X-Sequence"] ?? "0")")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: The first request.
    ///   - interval: The shortest time between the beginnings of two requests, in case the server does not hold them
    ///     back.
    ///   - options: The options of the feed.
    ///   - next: Returns the next request, made from the last response; `nil` ends the feed. Called after the response
    ///     has been delivered.
    public func longPolls(
        for request: HTTPRequest, atMostEvery interval: Duration = .milliseconds(100),
        options: FeedOptions = FeedOptions(), next: @escaping @Sendable (HTTPResponse<Data>) -> HTTPRequest?
    ) -> Feed<HTTPResponse<Data>> {
        feed(request, options) { _ in LongPollSource(request, atMostEvery: interval, next: next) }
    }

    /// Returns the values of a call that is made again and again.
    ///
    /// The validators of each response (`ETag`, `Last-Modified`) are sent with the next request, and a response of 304
    /// publishes nothing. A response that is fresh for longer than the interval (`Cache-Control: max-age`) postpones
    /// the next request, by ``FeedOptions/ReconnectPolicy/maxServerDelay`` at most. A response with `no-cache` or
    /// `no-store` does not (RFC 9111, section 5.2.2). A failure that is transient is waited for, as
    /// ``FeedOptions/reconnection`` says.
    ///
    /// - Parameters:
    ///   - endpoint: The call to make.
    ///   - interval: The time between the beginnings of two requests; each is up to ``FeedOptions/pollJitter`` longer.
    ///   - options: The options of the feed.
    public func polls<Call: Endpoint>(
        for endpoint: Call, every interval: Duration, options: FeedOptions = FeedOptions()
    ) -> Feed<Call.Response> {
        polls(endpoint, every: interval, droppingRepeated: false, options)
    }

    /// Returns the values of a call that is made again and again, without those that equal the one before.
    ///
    /// Values are equal if their undecoded bodies are. See `polls(for:every:options:)` for the rest.
    ///
    /// - Parameters:
    ///   - endpoint: The call to make.
    ///   - interval: The time between the beginnings of two requests; each is up to ``FeedOptions/pollJitter`` longer.
    ///   - options: The options of the feed.
    public func changes<Call: Endpoint>(
        for endpoint: Call, every interval: Duration = .seconds(60), options: FeedOptions = FeedOptions()
    ) -> Feed<Call.Response> {
        polls(endpoint, every: interval, droppingRepeated: true, options)
    }

    /// Returns the undecoded responses to a request that is made again and again; see `polls(for:every:options:)`.
    ///
    /// - Parameters:
    ///   - request: The request to make.
    ///   - interval: The time between the beginnings of two requests; each is up to ``FeedOptions/pollJitter`` longer.
    ///   - options: The options of the feed.
    public func polls(
        for request: HTTPRequest, every interval: Duration, options: FeedOptions = FeedOptions()
    ) -> Feed<HTTPResponse<Data>> {
        polls(request, every: interval, droppingRepeated: false, options)
    }

    /// Returns the undecoded responses to a request that is made again and again, without those whose body equals the
    /// one before; see `polls(for:every:options:)`.
    ///
    /// - Parameters:
    ///   - request: The request to make.
    ///   - interval: The time between the beginnings of two requests; each is up to ``FeedOptions/pollJitter`` longer.
    ///   - options: The options of the feed.
    public func changes(
        for request: HTTPRequest, every interval: Duration = .seconds(60), options: FeedOptions = FeedOptions()
    ) -> Feed<HTTPResponse<Data>> {
        polls(request, every: interval, droppingRepeated: true, options)
    }
}

extension HTTPClient {
    /// Returns a feed.
    ///
    /// - Parameters:
    ///   - summary: The request as it was given.
    ///   - options: The options of the feed.
    ///   - makeSource: Returns the rules of the feed, for its options merged with the client's.
    func feed<Element>(
        _ summary: HTTPError.RequestSummary, _ options: FeedOptions,
        _ makeSource: (FeedOptions) -> some FeedSource<Element>
    ) -> Feed<Element> {
        let options = options.merging(defaults: configuration.feedOptions)
        return Feed(
            events: Feed.Events(source: makeSource(options), client: self, options: options, summary: summary))
    }

    private func feed<Element>(
        _ request: HTTPRequest, _ options: FeedOptions, _ makeSource: (FeedOptions) -> some FeedSource<Element>
    ) -> Feed<Element> {
        feed(request.summary(configuration.redaction), options, makeSource)
    }

    private func records<Element: Decodable & Sendable>(
        _ request: HTTPRequest, _ cursor: Feed<Element>.Cursor?, _ options: FeedOptions,
        _ makeFraming: (_ maxElementSize: Int) -> some Framing<Data>
    ) -> Feed<Element> {
        let decoder = configuration.coders.decoder(forContentType: "application/json")
        return feed(request, options) { options in
            RecordSource(request, framing: makeFraming(options.maxElementSize), cursor: cursor, options: options) {
                try decoder.decode(Element.self, from: $0)
            }
        }
    }

    private func polls<Call: Endpoint>(
        _ endpoint: Call, every interval: Duration, droppingRepeated dropsRepeated: Bool, _ options: FeedOptions
    ) -> Feed<Call.Response> {
        let configuration = configuration
        return feed(summary(of: endpoint), options) { options in
            PollSource(
                every: interval, droppingRepeated: dropsRepeated, options: options,
                request: { () throws(HTTPError) in try endpoint.makeRequest(using: configuration.coders) },
                decode: { try configuration.decode($0, from: endpoint) })
        }
    }

    private func polls(
        _ request: HTTPRequest, every interval: Duration, droppingRepeated dropsRepeated: Bool, _ options: FeedOptions
    ) -> Feed<HTTPResponse<Data>> {
        feed(request, options) { options in
            PollSource(
                every: interval, droppingRepeated: dropsRepeated, options: options, request: { request },
                decode: { $0 })
        }
    }

    private func summary(of endpoint: some Endpoint) -> HTTPError.RequestSummary {
        do throws(HTTPError) {
            return try endpoint.makeRequest(using: configuration.coders).summary(configuration.redaction)
        } catch {
            return error.request
        }
    }
}

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
