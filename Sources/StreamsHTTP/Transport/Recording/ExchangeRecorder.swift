/// Stands between an exchange and its receiver, and takes everything down.
// Safe because what changes is behind the lock.
final class ExchangeRecorder: TransportReceiver, TransportExchange, @unchecked Sendable {
    fileprivate struct State {
        var events: [(event: TransportEvent, at: Duration)] = []
        var exchange: (any TransportExchange)?
        var isOver = false
    }

    private let number: Int
    private let request: TransportRequest
    private let tap: BodyTap
    private let receiver: any TransportReceiver
    private let redaction: Redaction
    private let onEnd: @Sendable (RecordedExchange) -> Void
    private let start = ContinuousClock.now
    private let state = Locked(State())

    init(
        _ number: Int, _ request: TransportRequest, tap: BodyTap, receiver: any TransportReceiver,
        redaction: Redaction, onEnd: @escaping @Sendable (RecordedExchange) -> Void
    ) {
        self.number = number
        self.request = request
        self.tap = tap
        self.receiver = receiver
        self.redaction = redaction
        self.onEnd = onEnd
    }

    /// Takes in the handle of the exchange itself.
    func attach(_ exchange: any TransportExchange) {
        state.withLock { if !$0.isOver { $0.exchange = exchange } }
    }

    func receive(_ event: TransportEvent) {
        let isEnd =
            switch event {
            case .finished, .failed: true
            case .sent, .head, .chunk, .metrics: false
            }
        let time = start.duration(to: .now)
        let events = state.withLock { state in
            guard !state.isOver else { return [(event: TransportEvent, at: Duration)]?.none }
            state.events.append((event, time))
            return isEnd ? state.end() : nil
        }
        // Before it is told, so that whoever learns of the end finds it recorded.
        if let events { onEnd(recorded(events, aborted: false)) }
        receiver.receive(event)
    }

    func grant(_ bytes: Int) {
        state.withLock { $0.exchange }?.grant(bytes)
    }

    func abort() {
        let (exchange, events) = state.withLock { state in
            (state.exchange, state.isOver ? nil : state.end())
        }
        exchange?.abort()
        if let events { onEnd(recorded(events, aborted: true)) }
    }

    private func recorded(_ events: [(event: TransportEvent, at: Duration)], aborted: Bool) -> RecordedExchange {
        var contentType: String?
        var content = Data()
        for (event, _) in events {
            if case .head(let head) = event { contentType = head.headers["Content-Type"] }
            if case .chunk(let chunk, _) = event { content += chunk }
        }
        // As a whole, for a secret may be in two chunks; it stays as long as it is, so the chunks stay too.
        var rest = redaction.redacting(body: content, contentType: contentType)[...]
        var kept = events.compactMap { event, time -> RecordedExchange.Event? in
            guard case .chunk(let chunk, let received) = event else {
                return RecordedExchange.Event(event, at: time, redaction: redaction)
            }
            defer { rest = rest.dropFirst(chunk.count) }
            let redacted = TransportEvent.chunk(Data(rest.prefix(chunk.count)), received: received)
            return RecordedExchange.Event(redacted, at: time, redaction: redaction)
        }
        if aborted {
            let milliseconds = (start.duration(to: .now) / .microseconds(1)).rounded() / 1000
            kept.append(RecordedExchange.Event(.aborted, at: milliseconds))
        }
        return RecordedExchange(number: number, request: recordedRequest, events: kept)
    }

    private var recordedRequest: RecordedExchange.Request {
        let body = redaction.redacting(body: tap.data, contentType: request.headers["Content-Type"])
        return RecordedExchange.Request(
            method: request.method.rawValue, url: redaction.redacting(url: request.url.absoluteString),
            headers: redaction.redacting(request.headers).map { RecordedExchange.Field($0) },
            body: body.isEmpty ? nil : RecordedExchange.Content(body))
    }
}

extension ExchangeRecorder.State {
    fileprivate mutating func end() -> [(event: TransportEvent, at: Duration)] {
        isOver = true
        exchange = nil
        return events
    }
}
