import StreamsHTTP

/// Gathers what one exchange of a transport brings, and notes what breaks the rules of ``TransportReceiver``.
final class TransportRecorder: TransportReceiver {
    struct Recording: Sendable {
        var events: [TransportEvent] = []
        var body = Data()
        var sent: Int64 = 0
        var head: HTTPResponse<Void>?
        var trailers: HTTPHeaders?
        var metrics: TransportEvent.Metrics?
        var failure: TransportFailure?
        var isFinished = false
        var problems: [String] = []

        var isOver: Bool { isFinished || failure != nil }
        /// The events with their contents, fit for comparing.
        var outline: [String] { events.map(\.outline) }
    }

    let recording = Watched(Recording())
    private let onEvent: (@Sendable (TransportEvent) -> Void)?

    init(onEvent: (@Sendable (TransportEvent) -> Void)? = nil) {
        self.onEvent = onEvent
    }

    func receive(_ event: TransportEvent) {
        recording.update { $0.take(event) }
        onEvent?(event)
    }

    /// Waits for the end of the exchange.
    func ended() async throws -> Recording {
        try await recording.wait(for: "the end of the exchange") { $0.isOver }
    }
}

extension TransportRecorder.Recording {
    fileprivate mutating func take(_ event: TransportEvent) {
        if isOver { problems.append("\(event.outline) after the end") }
        if metrics != nil, !event.isEnd { problems.append("\(event.outline) after the metrics") }
        events.append(event)
        switch event {
        case .connected: if head != nil { problems.append("connected after the head") }
        case .sent(let count, let total):
            if count <= sent { problems.append("sent \(count) after \(sent)") }
            if let total, count > total { problems.append("sent \(count) of \(total)") }
            sent = count
        case .head(let head):
            if self.head != nil { problems.append("a second head") }
            self.head = head
        case .chunk(let chunk, _):
            if head == nil { problems.append("a chunk before the head") }
            if chunk.isEmpty { problems.append("an empty chunk") }
            body += chunk
        case .trailers(let trailers): self.trailers = trailers
        case .metrics(let metrics): self.metrics = metrics
        case .finished:
            if head == nil { problems.append("finished without a head") }
            isFinished = true
        case .failed(let failure): self.failure = failure
        }
    }
}

extension TransportEvent {
    fileprivate var isEnd: Bool {
        switch self {
        case .finished, .failed: true
        case .connected, .sent, .head, .chunk, .trailers, .metrics: false
        }
    }

    /// The event with its contents as a text.
    var outline: String {
        switch self {
        case .connected(let isReused, _): isReused ? "reused" : "connected"
        case .sent(let count, let total): "sent \(count) of \(total.map { "\($0)" } ?? "?")"
        case .head(let head): "head \(head.version) \(head.status.code) \(head.url.absoluteString)\n\(head.headers)"
        case .chunk(let chunk, let received): "chunk \(chunk.base64EncodedString()) at \(received)"
        case .trailers(let trailers): "trailers\n\(trailers)"
        case .metrics: "metrics"
        case .finished: "finished"
        case .failed(let failure):
            "failed: \(failure.reason.outline), \(failure.underlying?.domain ?? "") \(failure.underlying?.code ?? 0)"
        }
    }
}
