import StreamsHTTP

typealias EventRecorder<Value: Sendable> = StreamRecorder<EventRecording<Value>>

/// The events of a request. Chunks are counted and joined, not kept one by one.
struct EventRecording<Value: Sendable>: StreamRecording {
    /// The events other than chunks.
    private(set) var events: [RequestEvent<Value>] = []
    private(set) var body = Data()
    private(set) var chunkCount = 0
    private(set) var grammar = EventGrammar()
    var signals = SignalLog()
    /// Whether the chunks are joined.
    fileprivate var keepsBody = true

    var violations: [String] { grammar.violations + signals.violations }

    mutating func accept(_ event: RequestEvent<Value>) {
        grammar.accept(event)
        if case .chunk(let chunk) = event {
            chunkCount += 1
            if keepsBody { body.append(chunk) }
        } else {
            events.append(event)
        }
    }

    mutating func complete(_ completion: Subscribers.Completion<HTTPError>) {
        grammar.complete(completion)
    }
}

extension StreamRecorder {
    /// Creates a recorder of a request whose body may be too large to keep.
    convenience init<Value>(
        demand: Subscribers.Demand = .unlimited, keepingBody keepsBody: Bool, reaction: Reaction? = nil
    ) where Recording == EventRecording<Value> {
        var recording = Recording()
        recording.keepsBody = keepsBody
        self.init(demand: demand, recording: recording, reaction: reaction)
    }
}

extension EventRecording {
    var response: HTTPResponse<Value>? {
        events.lazy.compactMap { if case .response(let response) = $0 { response } else { nil } }.last
    }

    var retries: [HTTPRequest.Retry] {
        events.compactMap { if case .retrying(let retry) = $0 { retry } else { nil } }
    }

    var attempts: [HTTPRequest.Attempt] {
        events.compactMap { if case .attempt(let attempt) = $0 { attempt } else { nil } }
    }

    var head: HTTPResponse<Void>? {
        events.lazy.compactMap { if case .head(let head) = $0 { head } else { nil } }.last
    }

    var uploads: [TransferProgress] {
        events.compactMap { if case .uploadProgress(let progress) = $0 { progress } else { nil } }
    }

    var downloads: [TransferProgress] {
        events.compactMap { if case .downloadProgress(let progress) = $0 { progress } else { nil } }
    }

    /// The events' names without progress and chunks, for comparing whole streams.
    var outline: [String] {
        events.compactMap { event in
            switch event {
            case .attempt(let attempt): "attempt \(attempt.number)"
            case .head(let head): "head \(head.status)"
            case .retrying: "retrying"
            case .response(let response): "response \(response.status)"
            case .uploadProgress, .downloadProgress, .chunk: nil
            }
        }
    }
}

extension RequestEvent {
    var name: String {
        switch self {
        case .attempt: "attempt"
        case .uploadProgress: "upload"
        case .head: "head"
        case .downloadProgress: "download"
        case .chunk: "chunk"
        case .retrying: "retrying"
        case .response: "response"
        }
    }
}
