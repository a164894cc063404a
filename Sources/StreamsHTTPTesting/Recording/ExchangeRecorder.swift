import StreamsHTTP

/// A recorder between an exchange and its receiver.
final class ExchangeRecorder: TransportReceiver, TransportExchange {
    private typealias Events = [(event: TransportEvent, time: Duration)]

    private struct State {
        var events: Events = []
        var exchange: (any TransportExchange)?
        var isOver = false

        /// Returns the contents, which the caller releases, and ends the recording; `nil` if it is over already.
        mutating func end() -> (events: Events, exchange: (any TransportExchange)?)? {
            guard !isOver else { return nil }
            defer { self = State(isOver: true) }
            return (events, exchange)
        }
    }

    private let number: Int
    private let request: TransportRequest
    private let receiver: any TransportReceiver
    private let redaction: Redaction
    private let onEnd: @Sendable (RecordedExchange) -> Void
    private let body = BodyRecorder()
    private let start = ContinuousClock.now
    private let state = Locked(State())

    /// - Parameter onEnd: Called with the recording when the exchange is over, before the receiver gets the last event.
    init(
        _ number: Int, _ request: TransportRequest, receiver: any TransportReceiver, redaction: Redaction,
        onEnd: @escaping @Sendable (RecordedExchange) -> Void
    ) {
        self.number = number
        self.request = request
        self.receiver = receiver
        self.redaction = redaction
        self.onEnd = onEnd
    }

    /// Starts the exchange on a transport.
    func start(on base: any HTTPTransport) {
        var request = request
        request.body = body.recording(request.body)
        let exchange = base.start(request, delivering: self)
        state.withLock { if !$0.isOver { $0.exchange = exchange } }
    }

    func receive(_ event: TransportEvent) {
        let isLast =
            switch event {
            case .finished, .failed: true
            case .connected, .sent, .head, .chunk, .trailers, .metrics: false
            }
        let time = start.duration(to: .now)
        let ended = state.withLock { state in
            if !state.isOver { state.events.append((event, time)) }
            return isLast ? state.end() : nil
        }
        if let ended { onEnd(recording(of: ended.events)) }
        receiver.receive(event)
    }

    func allow(bytes: Int) {
        state.withLock { $0.exchange }?.allow(bytes: bytes)
    }

    func abort() {
        guard let ended = state.withLock({ $0.end() }) else { return }
        let time = start.duration(to: .now)
        ended.exchange?.abort()
        onEnd(recording(of: ended.events, abortedAt: time))
    }

    var wait: HTTPRequest.Wait? { state.withLock { $0.exchange }?.wait }

    private func recording(of events: Events, abortedAt time: Duration? = nil) -> RecordedExchange {
        var recorded = redacted(events).compactMap { event, time in
            RecordedExchange.Event(event, at: time, redaction: redaction)
        }
        if let time { recorded.append(RecordedExchange.Event(.aborted, at: time.milliseconds)) }
        return RecordedExchange(number: number, request: recordedRequest, events: recorded)
    }

    /// Returns the events with redacted chunks of the same lengths.
    private func redacted(_ events: Events) -> Events {
        var contentType: String?
        var content = Data()
        for (event, _) in events {
            if case .head(let head) = event { contentType = head.headers["Content-Type"] }
            if case .chunk(let chunk, _) = event { content += chunk }
        }
        // The body is redacted as a whole, because a secret may span two chunks.
        var rest = redaction.redacting(body: content, contentType: contentType)[...]
        return events.map { event, time in
            guard case .chunk(let chunk, let received) = event else { return (event, time) }
            defer { rest = rest.dropFirst(chunk.count) }
            return (.chunk(Data(rest.prefix(chunk.count)), received: received), time)
        }
    }

    private var recordedRequest: RecordedExchange.Request {
        let body = redaction.redacting(requestBody: body.data, request.headers)
        return RecordedExchange.Request(
            method: request.method.rawValue, url: redaction.redacting(url: request.url.absoluteString),
            headers: redaction.redacting(request.headers).map { RecordedExchange.Field($0) },
            body: body.isEmpty ? nil : RecordedExchange.Content(body))
    }
}
