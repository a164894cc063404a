/// The messages of a WebSocket that is opened again when it breaks.
struct WebSocketSource: FeedSource {
    typealias Element = WebSocket.Message

    static var connection: FeedConnection { .socket }

    private let firstRequest: HTTPRequest
    private let clock: RequestClock
    private let options: WebSocketOptions
    private let cursor: Feed<WebSocket.Message>.Cursor?
    private let onOpen: @Sendable (_ position: String?) -> [WebSocket.Message]
    private var session: WebSocketSession
    private(set) var position: String?
    private var gap: FeedGap?
    /// Whether a connection has been open before.
    private var hasBeenOpen = false

    init(
        _ request: HTTPRequest, clock: RequestClock, options: WebSocketOptions,
        cursor: Feed<WebSocket.Message>.Cursor?,
        onOpen: @escaping @Sendable (_ position: String?) -> [WebSocket.Message]
    ) {
        firstRequest = request
        self.clock = clock
        self.options = options
        self.cursor = cursor
        self.onOpen = onOpen
        position = cursor?.start
        session = WebSocketSession(options)
    }

    mutating func request(now: Duration) -> HTTPRequest {
        session.end(.cancelled)
        session = WebSocketSession(options)
        guard let cursor, let position else { return firstRequest }
        return firstRequest.resuming { cursor.resume($0, position) } ?? firstRequest
    }

    func plan(for request: HTTPRequest, client: HTTPClient) -> RequestPlan {
        RequestPlan(opening: request, session.upgrade, client: client)
    }

    mutating func open(_ head: HTTPResponse<Void>) throws(HTTPError.Reason) -> Bool {
        _ = try session.open(head, now: clock.now)
        for message in onOpen(position) { session.upgrade.frames.add(message) }
        // Without a position, it is unknown what was missed.
        if hasBeenOpen, position == nil { gap = .notResumable }
        hasBeenOpen = true
        return true
    }

    mutating func receive(_ chunk: Data) {
        session.receive(chunk, now: clock.now)
    }

    mutating func next() -> FeedItem<WebSocket.Message>? {
        if let gap = gap.take() { return .gap(gap) }
        guard let message = session.next() else { return nil }
        guard let position = cursor?.position(message) else { return .element(message, nil) }
        self.position = position
        return .element(message, ElementIdentity(id: position, content: message.content))
    }

    mutating func end(_ response: HTTPResponse<Data>, now: Duration) {}

    mutating func continuation() -> FeedContinuation { .fail(endReason(nil)) }

    /// Returns the reason of an end, by which the policy decides whether to connect again.
    private func endReason(_ failure: HTTPError.Reason?) -> HTTPError.Reason {
        switch session.ending(failure) {
        case .success(let closing): .webSocket(.closed(closing.code, closing.reason))
        case .failure(let reason): reason
        }
    }

    mutating func takeReminder() -> Duration? { session.takeReminder() }

    func reason(of failure: HTTPError.Reason) -> HTTPError.Reason {
        session.isOpen || session.isClosing ? endReason(failure) : failure
    }

    mutating func remind(now: Duration, isReading: Bool) throws(HTTPError.Reason) {
        do throws(HTTPError.Reason) {
            try session.remind(now: now, isReading: isReading)
        } catch {
            throw endReason(error)
        }
    }

    mutating func finish() -> Bool {
        session.close(.goingAway)
        return session.isClosing
    }

    func close() {
        session.end(.cancelled)
    }
}

extension WebSocket.Message {
    /// The content, for the comparison of elements.
    fileprivate var content: ElementIdentity.Content {
        switch self {
        case .text(let text): .event(type: "text", data: text)
        case .binary(let data): .record(data)
        }
    }
}
