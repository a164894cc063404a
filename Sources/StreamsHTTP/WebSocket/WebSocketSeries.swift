/// The life of one WebSocket: decides when to open it, and which event to deliver.
struct WebSocketSeries: RequestSeries {
    typealias Event = WebSocket.Event

    private enum Phase {
        /// Not yet admitted.
        case queued
        /// The request may be sent.
        case ready
        /// From the request to the end of the connection.
        case connected
    }

    static var name: String { "WebSocket" }
    static var mayBlock: Bool { false }

    let client: HTTPClient
    private let request: HTTPRequest
    private let summary: HTTPError.RequestSummary
    private var session: WebSocketSession
    private var phase = Phase.queued
    var output = SeriesOutput<Event>()
    /// The completion of the request, which is processed after what has been received.
    private var requestCompletion: Subscribers.Completion<HTTPError>?
    private var messageCount = 0
    /// The number of messages that were dropped, because one was not requested while the connection is being closed.
    private var droppedMessageCount = 0
    /// Whether the client shuts down. It waits for the connection's end, and not for demand.
    private var isFinishing = false

    init(_ request: HTTPRequest, client: HTTPClient, options: WebSocketOptions) {
        self.client = client
        self.request = request
        summary = request.summary(client.configuration.redaction)
        session = WebSocketSession(options)
    }

    var queue: RequestQueue { client.feedQueue }

    var status: WebSocketStatus {
        WebSocketStatus(
            summary, isOpen: session.isOpen, isClosing: session.isClosing, messageCount: messageCount)
    }

    mutating func begin(_ makeSubmit: () -> @Sendable (SeriesInput) -> Void) {
        let submit = makeSubmit()
        session.upgrade.frames.onClose { submit(.close) }
    }

    func close() {
        session.end(.cancelled)
    }
}

// MARK: Inputs

extension WebSocketSeries {
    mutating func handle(_ input: SeriesInput) {
        switch input {
        case .admitted: phase = .ready
        case .event(let event): receive(event)
        case .completion(let completion): requestCompletion = completion
        case .finish: finish()
        case .fail(let reason): fail(reason)
        case .close: session.beginClosing()
        case .reminded(let isReading): remind(isReading: isReading)
        case .waited, .expired, .worked: break
        }
    }

    private mutating func receive(_ event: RequestEvent<Data>) {
        switch event {
        case .head(let head): if head.status == .switchingProtocols { open(head) }
        case .chunk(let chunk): session.receive(chunk, now: client.clock.now)
        case .response, .attempt, .uploadProgress, .downloadProgress, .retrying: break
        }
    }

    private mutating func open(_ head: HTTPResponse<Void>) {
        do throws(HTTPError.Reason) {
            let subprotocol = try session.open(head, now: client.clock.now)
            let frames = session.upgrade.frames
            output.append(.open(WebSocket(head: head, subprotocol: subprotocol, frames: frames, summary: summary)))
        } catch {
            fail(error)
        }
    }

    private mutating func finish() {
        isFinishing = true
        session.close(.goingAway)
        if !session.isClosing || output.isOver { output.end(.finished) }
    }

    private mutating func remind(isReading: Bool) {
        do throws(HTTPError.Reason) {
            try session.remind(now: client.clock.now, isReading: isReading)
        } catch {
            endConnection(error)
        }
    }
}

// MARK: Actions

extension WebSocketSeries {
    mutating func nextAction() -> SeriesAction? {
        if let delay = session.takeReminder() { return .remind(delay) }
        guard output.isEmpty else { return nil }
        switch phase {
        case .queued:
            return nil
        case .ready:
            phase = .connected
            return .send(RequestPlan(opening: request, session.upgrade, client: client))
        case .connected:
            readMessage()
            // No further than requested: a violation must not overtake the answer to the message before it.
            guard output.isEmpty, !session.hasUnread else { return nil }
            if let completion = requestCompletion.take() {
                if case .failure(let error) = completion, !session.isOpen, !session.isClosing {
                    output.end(.failure(error))
                } else {
                    endConnection(completion.reason)
                }
                return nil
            }
            return output.demand > .none || session.isClosing ? .read : nil
        }
    }

    mutating func willDeliver(_ event: Event) {
        if case .message = event { messageCount += 1 }
    }

    /// Reads up to the next message. While the connection is being closed, a message that is not requested is dropped, and
    /// so are all after it, so that none is missing between two others.
    private mutating func readMessage() {
        while output.isEmpty, output.demand > .none || session.isClosing, session.hasUnread {
            guard let message = session.next() else { continue }
            if droppedMessageCount > 0 || output.demand == .none {
                droppedMessageCount += 1
            } else {
                output.append(.message(message))
            }
        }
    }
}

// MARK: Ends

extension WebSocketSeries {
    /// Ends with the connection.
    private mutating func endConnection(_ reason: HTTPError.Reason?) {
        switch session.ending(reason) {
        case .success(let closing):
            session.end(.webSocket(.closed(closing.code, closing.reason)))
            guard !output.isOver else { return }
            output.end(.finished)
            guard !isFinishing || output.demand > .none else { return }
            let closing = WebSocket.Closing(
                code: closing.code, reason: closing.reason, isClean: closing.isClean,
                droppedMessageCount: droppedMessageCount)
            output.append(.closed(closing))
        case .failure(let reason): fail(reason)
        }
    }

    private mutating func fail(_ reason: HTTPError.Reason) {
        session.end(reason)
        output.end(.failure(HTTPError(reason.redacted(by: client.configuration.redaction), request: summary)))
    }
}

extension Subscribers.Completion<HTTPError> {
    /// The reason of a failure; `nil` for the end.
    var reason: HTTPError.Reason? {
        if case .failure(let error) = self { error.reason } else { nil }
    }
}

/// The state of a WebSocket at one moment, for snapshots.
struct WebSocketStatus: SeriesStatus {
    private let request: HTTPError.RequestSummary
    private let isOpen: Bool
    private let isClosing: Bool
    private let messageCount: Int

    init(_ request: HTTPError.RequestSummary, isOpen: Bool, isClosing: Bool, messageCount: Int) {
        self.request = request
        self.isOpen = isOpen
        self.isClosing = isClosing
        self.messageCount = messageCount
    }

    func add(
        to snapshot: inout HTTPClient.Snapshot, _ callSite: CallSite?, _ queueStatus: RequestQueue.Status,
        age: Duration
    ) {
        let phase: HTTPClient.Snapshot.ActiveWebSocket.Phase =
            switch queueStatus {
            case .waiting: .queued
            case .running: isOpen ? .open : isClosing ? .closing : .opening
            case .ending: .ending
            }
        snapshot.webSockets.append(
            HTTPClient.Snapshot.ActiveWebSocket(
                callSite: callSite, url: request.url, phase: phase, age: age, messages: messageCount))
    }
}
