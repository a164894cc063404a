/// Stands between an exchange and its receiver, and takes everything down.
// Safe because what changes is behind the lock.
final class ExchangeRecorder: TransportReceiver, TransportExchange, @unchecked Sendable {
    fileprivate typealias Events = [(event: TransportEvent, at: Duration)]
    fileprivate typealias Ended = (events: Events, exchange: (any TransportExchange)?)

    fileprivate struct State {
        var events: Events = []
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
        let ended = state.withLock { state -> Ended? in
            guard !state.isOver else { return nil }
            state.events.append((event, time))
            return isEnd ? state.end() : nil
        }
        // Before it is told, so that whoever learns of the end finds it recorded.
        if let ended { onEnd(recorded(ended.events, aborted: false)) }
        receiver.receive(event)
    }

    func grant(_ bytes: Int) {
        state.withLock { $0.exchange }?.grant(bytes)
    }

    func abort() {
        let ended = state.withLock { $0.isOver ? nil : $0.end() }
        guard let ended else { return }
        ended.exchange?.abort()
        onEnd(recorded(ended.events, aborted: true))
    }

    private func recorded(_ events: Events, aborted: Bool) -> RecordedExchange {
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
    /// - Returns: What there was. It may be the user's: the caller lets go of it.
    fileprivate mutating func end() -> ExchangeRecorder.Ended {
        defer {
            isOver = true
            events = []
            exchange = nil
        }
        return (events, exchange)
    }
}
