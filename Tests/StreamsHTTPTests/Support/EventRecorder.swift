import StreamsHTTP
import Testing

/// Records a request's stream, asks for as much as a test wants, and holds every signal against the grammar.
final class EventRecorder<Value: Sendable>: Subscriber, Cancellable, Sendable {
    typealias Input = RequestEvent<Value>
    typealias Failure = HTTPError

    /// What a stream has brought so far. Chunks are counted and joined, not kept one by one.
    struct Recording: Sendable {
        fileprivate(set) var events: [RequestEvent<Value>] = []
        fileprivate(set) var body = Data()
        fileprivate(set) var chunkCount = 0
        fileprivate(set) var completion: Subscribers.Completion<HTTPError>?
        var grammar = EventGrammar()
        /// What was wrong besides the grammar: signals that overlap, were not asked for or came too late.
        fileprivate(set) var problems: [String] = []
        fileprivate var subscription: Handle?
        fileprivate var asked = Subscribers.Demand.none
        fileprivate(set) var eventCount = 0
        fileprivate var isDelivering = false
        /// Whether the stream was cancelled from inside an event, so that nothing may follow.
        fileprivate(set) var isSilenced = false

        var isComplete: Bool { completion != nil }
        var signalCount: Int { eventCount + (isComplete ? 1 : 0) }
    }

    /// A subscription that may be kept anywhere.
    fileprivate struct Handle: @unchecked Sendable {
        // Safe because a subscription may be asked and cancelled from any thread.
        let subscription: any Subscription
    }

    /// Called with each event, and asked how many more to request.
    typealias Reaction = @Sendable (EventRecorder, RequestEvent<Value>) -> Subscribers.Demand

    let recording = Watched(Recording())
    private let initialDemand: Subscribers.Demand
    private let keepsBody: Bool
    private let isCancellingOnSubscription: Bool
    private let reaction: Reaction?

    init(
        demand: Subscribers.Demand = .unlimited, keepingBody keepsBody: Bool = true,
        isCancellingOnSubscription: Bool = false, reaction: Reaction? = nil
    ) {
        initialDemand = demand
        self.keepsBody = keepsBody
        self.isCancellingOnSubscription = isCancellingOnSubscription
        self.reaction = reaction
    }

    func receive(subscription: any Subscription) {
        recording.update { $0.subscription = Handle(subscription: subscription) }
        if isCancellingOnSubscription { cancel() }
        if initialDemand > .none { request(initialDemand) }
    }

    func receive(_ event: RequestEvent<Value>) -> Subscribers.Demand {
        recording.update { $0.take(event, keepingBody: keepsBody) }
        let more = reaction?(self, event) ?? .none
        recording.update { recording in
            recording.asked += more
            recording.isDelivering = false
        }
        return more
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        let subscription = recording.update { recording in
            recording.noteSignal()
            recording.isDelivering = false
            recording.grammar.complete(completion)
            recording.completion = completion
            defer { recording.subscription = nil }
            return recording.subscription
        }
        withExtendedLifetime(subscription) {}
    }

    func request(_ demand: Subscribers.Demand) {
        let subscription = recording.update { recording in
            recording.asked += demand
            return recording.subscription
        }
        subscription?.subscription.request(demand)
    }

    /// Cancels the stream. Called from inside an event, nothing may come afterwards.
    func cancel() {
        recording.update { $0.subscription }?.subscription.cancel()
        let subscription = recording.update { recording in
            recording.isSilenced = recording.isSilenced || recording.isDelivering
            defer { recording.subscription = nil }
            return recording.subscription
        }
        withExtendedLifetime(subscription) {}
    }
}

extension EventRecorder.Recording {
    fileprivate mutating func noteSignal() {
        if isDelivering { problems.append("a signal while another was being delivered") }
        if isSilenced { problems.append("a signal after the cancellation") }
        isDelivering = true
    }

    fileprivate mutating func take(_ event: RequestEvent<Value>, keepingBody: Bool) {
        noteSignal()
        grammar.accept(event)
        eventCount += 1
        if let limit = asked.max, eventCount > limit {
            problems.append("\(eventCount) events for a demand of \(limit)")
        }
        if case .chunk(let chunk) = event {
            chunkCount += 1
            if keepingBody { body.append(chunk) }
        } else {
            events.append(event)
        }
    }
}

extension EventRecorder.Recording {
    /// All that was wrong.
    var violations: [String] { grammar.violations + problems }

    var failure: HTTPError? {
        if case .failure(let error) = completion { error } else { nil }
    }

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

extension EventRecorder {
    /// Subscribes to a stream, and waits for its end.
    @discardableResult
    static func record(
        _ publisher: RequestPublisher<Value>, demand: Subscribers.Demand = .unlimited,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Recording {
        let recorder = EventRecorder(demand: demand)
        publisher.subscribe(recorder)
        return try await recorder.finished(sourceLocation: sourceLocation)
    }

    /// Waits for the end of the stream, and holds all of it against the grammar.
    @discardableResult
    func finished(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Recording {
        let recording = try await recording.wait(for: "the end of the stream") { $0.isComplete }
        verify(sourceLocation: sourceLocation)
        return recording
    }

    /// Waits until an event has come.
    @discardableResult
    func wait(
        for what: String, sourceLocation: SourceLocation = #_sourceLocation, until condition: (Recording) -> Bool
    ) async throws -> Recording {
        try await recording.wait(for: what) { condition($0) }
    }

    /// Checks that a stream without demand has not ended and continues with it, and cancels the stream.
    func expectToContinue(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(!recording.value.isComplete, sourceLocation: sourceLocation)
        let seen = recording.value.eventCount
        request(.max(1))
        try await wait(for: "another event") { $0.eventCount > seen }
        cancel()
        verify(sourceLocation: sourceLocation)
    }

    /// Holds what has come so far against the grammar.
    func verify(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(recording.value.violations == [], sourceLocation: sourceLocation)
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
