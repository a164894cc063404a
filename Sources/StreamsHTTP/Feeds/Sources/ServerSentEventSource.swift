/// A feed of server-sent events (HTML Standard, section 9.2).
struct ServerSentEventSource<Element: Sendable>: FeedSource {
    static var connection: FeedConnection { .stream }

    private let firstRequest: HTTPRequest
    private let options: FeedOptions
    private let decode: @Sendable (ServerSentEvent<String>) throws -> Element
    private var lastEventID: String
    private var framing: EventStreamFraming
    private var response: HTTPResponse<Void>?
    private var gap: FeedGap?
    /// Whether the latest request resumes after the last event.
    private var isResuming = false

    init(
        _ request: HTTPRequest, lastEventID: String, options: FeedOptions,
        decode: @escaping @Sendable (ServerSentEvent<String>) throws -> Element
    ) {
        firstRequest = request.settingDefaultHeaders(["Accept": "text/event-stream", "Cache-Control": "no-store"])
        self.options = options
        self.decode = decode
        self.lastEventID = lastEventID
        framing = EventStreamFraming(lastEventID: lastEventID, maxElementSize: options.maxElementSize)
    }

    var position: String? { options.resumesFromLastEventID && !lastEventID.isEmpty ? lastEventID : nil }

    mutating func request(now: Duration) -> HTTPRequest {
        let resuming = position.flatMap { id in firstRequest.resuming { $0.settingHeader("Last-Event-ID", id) } }
        isResuming = resuming != nil
        return resuming ?? firstRequest
    }

    mutating func open(_ head: HTTPResponse<Void>) throws(HTTPError.Reason) -> Bool {
        guard head.status == .ok || head.status == .noContent else { throw .status(head.replacingBody(Data())) }
        let contentType = head.headers["Content-Type"] ?? ""
        guard head.status == .noContent || MediaType(contentType).essence == "text/event-stream" else {
            throw .transfer(.unexpectedContentType(contentType))
        }
        if !isResuming, response != nil || position != nil { gap = .notResumable }
        response = head
        framing = EventStreamFraming(lastEventID: lastEventID, maxElementSize: options.maxElementSize)
        return head.status != .noContent
    }

    mutating func receive(_ chunk: Data) {
        framing.append(chunk)
    }

    mutating func next() throws(HTTPError.Reason) -> FeedItem<Element>? {
        if let gap = gap.take() { return .gap(gap) }
        while let item = try framing.nextItem() {
            switch item {
            case .event(let event):
                lastEventID = event.id
                let identity: ElementIdentity? =
                    position != nil && framing.lastEventHasID
                    ? ElementIdentity(id: event.id, content: .event(type: event.type, data: event.data)) : nil
                do {
                    return .element(try decode(event), identity)
                } catch {
                    return try gap(after: error, Data(event.data.utf8), in: response, options.undecodableElements)
                }
            case .id(let id): lastEventID = id
            case .retry(let delay): return .reconnectionDelay(delay)
            case .comment(let text):
                if options.deliversComments { return .comment(text) }
            }
        }
        return nil
    }

    mutating func end(_ response: HTTPResponse<Data>, now: Duration) {
        framing.finish()
    }

    func continuation() -> FeedContinuation {
        response?.status == .noContent ? .finish : .reconnect
    }

    mutating func startOver(after error: HTTPError) -> FeedGap? {
        guard isResuming, let gap = FeedGap(ofRefusedPosition: error) else { return nil }
        lastEventID = ""
        // The next connection is like the first one: this gap is reported once.
        response = nil
        return gap
    }
}
