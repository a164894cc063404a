/// The life of one WebSocket: decides when to open it, and which event to deliver.
struct WebSocketSeries: RequestSeries {
    typealias Event = WebSocket.Event

    private enum Phase {
        case idle
        /// Registered, not yet admitted.
        case queued
        /// The request may be sent.
        case ready
        /// From the request to the end of the connection.
        case connected
        case ended
    }

    static var name: String { "WebSocket" }
    static var mayBlock: Bool { false }

    let client: HTTPClient
    private let request: HTTPRequest
    private let summary: HTTPError.RequestSummary
    private var session: WebSocketSession
    private var phase = Phase.idle
    private var demand = Subscribers.Demand.none
    /// The event to deliver next.
    private var pending: Event?
    /// The completion to deliver next.
    private var ending: Subscribers.Completion<HTTPError>?
    /// Whether an event of the request has been requested and has not arrived.
    private var isReading = false
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

    func begin(_ submit: @escaping @Sendable (SeriesInput) -> Void) {
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
        case .demand(let more): demand += more
        case .admitted: phase = .ready
        case .event(let event):
            isReading = false
            receive(event)
        case .completion(let completion): requestCompletion = completion
        case .finish: finish()
        case .fail(let reason): fail(reason)
        case .close: session.beginClosing()
        case .reminded: remind()
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
            pending = .open(
                WebSocket(head: head, subprotocol: subprotocol, frames: session.upgrade.frames, summary: summary))
        } catch {
            fail(error)
        }
    }

    private mutating func finish() {
        isFinishing = true
        session.close(.goingAway)
        guard session.isClosing else { return end(.finished) }
        if case .closed = pending { end(.finished) }
    }

    private mutating func remind() {
        do throws(HTTPError.Reason) {
            try session.remind(now: client.clock.now, isReading: isReading)
        } catch {
            endConnection(error)
        }
    }
}

// MARK: Actions

extension WebSocketSeries {
    mutating func nextAction() -> SeriesAction<Event>? {
        while true {
            if let completion = ending.take() {
                phase = .ended
                return .complete(completion)
            }
            if let delay = session.takeReminder() { return .remind(delay) }
            if pending != nil {
                guard demand > .none, let event = pending.take() else { return nil }
                demand -= 1
                switch event {
                case .open: break
                case .message: messageCount += 1
                case .closed: ending = .finished
                }
                return .deliver(event)
            }
            guard let action = advance() else {
                guard pending != nil || ending != nil else { return session.takeReminder().map { .remind($0) } }
                continue
            }
            return action
        }
    }

    /// Advances to the next action, pending event or ending.
    private mutating func advance() -> SeriesAction<Event>? {
        switch phase {
        case .idle:
            guard demand > .none else { return nil }
            phase = .queued
            return .register(timeout: nil)
        case .ready:
            phase = .connected
            return .send(RequestPlan(opening: request, session.upgrade, client: client))
        case .connected:
            readMessage()
            // No further than requested: a violation must not overtake the answer to the message before it.
            guard pending == nil, !session.hasUnread else { return nil }
            if let completion = requestCompletion.take() {
                if case .failure(let error) = completion, !session.isOpen, !session.isClosing {
                    end(.failure(error))
                } else {
                    endConnection(completion.reason)
                }
                return nil
            }
            guard demand > .none || session.isClosing, !isReading else { return nil }
            isReading = true
            return .read
        case .queued, .ended:
            return nil
        }
    }
}

extension WebSocketSeries {
    /// Reads up to the next message. While the connection is being closed, a message that is not requested is dropped, and
    /// so are all after it, so that none is missing between two others.
    private mutating func readMessage() {
        while pending == nil, demand > .none || session.isClosing, session.hasUnread {
            guard let message = session.next() else { continue }
            if droppedMessageCount > 0 || demand == .none {
                droppedMessageCount += 1
            } else {
                pending = .message(message)
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
            guard phase != .ended else { return }
            guard !isFinishing || demand > .none else { return end(.finished) }
            pending = .closed(
                WebSocket.Closing(
                    code: closing.code, reason: closing.reason, isClean: closing.isClean,
                    droppedMessageCount: droppedMessageCount))
        case .failure(let reason): fail(reason)
        }
    }

    private mutating func fail(_ reason: HTTPError.Reason) {
        session.end(reason)
        end(.failure(HTTPError(reason.redacted(by: client.configuration.redaction), request: summary)))
    }

    /// Ends instead of delivering the pending event.
    private mutating func end(_ completion: Subscribers.Completion<HTTPError>) {
        guard phase != .ended else { return }
        pending = nil
        ending = completion
    }
}

extension Subscribers.Completion<HTTPError> {
    /// The reason of a failure; `nil` for the end.
    var reason: HTTPError.Reason? {
        if case .failure(let error) = self { error.reason } else { nil }
    }
}
