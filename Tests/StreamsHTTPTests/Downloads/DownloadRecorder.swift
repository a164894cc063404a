import StreamsHTTP
import Testing

/// A subscriber that records the events of a download, and checks them against the contract.
final class DownloadRecorder: Subscriber, Sendable {
    typealias Input = Download.Event
    typealias Failure = HTTPError

    struct Recording: Sendable {
        var events: [Download.Event] = []
        var completion: Subscribers.Completion<HTTPError>?
        var violations: [String] = []
        var demand = Subscribers.Demand.none
        fileprivate var subscription: Handle?
        fileprivate var isDelivering = false

        var failure: HTTPError? {
            if case .failure(let error) = completion { error } else { nil }
        }

        var file: Download.File? {
            if case .finished(let file) = events.last { file } else { nil }
        }

        var progress: [TransferProgress] {
            events.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
        }

        /// The events by their names, with runs of progress shortened.
        var outline: [String] {
            events.reduce(into: []) { outline, event in
                switch event {
                case .resuming(let offset): outline.append("resuming \(offset)")
                case .startingOver(let reason): outline.append("over: \(reason.rawValue)")
                case .progress: if outline.last != "progress" { outline.append("progress") }
                case .retrying(let retry): outline.append("retrying: \(retry.error.name)")
                case .finished: outline.append("finished")
                }
            }
        }
    }

    // Safe because a subscription may be used from any thread.
    fileprivate struct Handle: @unchecked Sendable {
        let subscription: any Subscription
    }

    let recording = Watched(Recording())
    private let initialDemand: Subscribers.Demand
    private let reaction: @Sendable (Download.Event) -> Subscribers.Demand

    init(
        demand: Subscribers.Demand = .unlimited,
        reaction: @escaping @Sendable (Download.Event) -> Subscribers.Demand = { _ in .none }
    ) {
        initialDemand = demand
        self.reaction = reaction
    }

    func receive(subscription: any Subscription) {
        recording.update { $0.subscription = Handle(subscription: subscription) }
        request(initialDemand)
    }

    func receive(_ event: Download.Event) -> Subscribers.Demand {
        recording.update { recording in
            if recording.isDelivering { recording.violations.append("overlapping events") }
            if recording.demand == .none { recording.violations.append("an event beyond the demand") }
            if recording.completion != nil { recording.violations.append("an event after the completion") }
            if recording.file != nil { recording.violations.append("an event after the file") }
            recording.isDelivering = true
            recording.demand -= 1
            recording.events.append(event)
        }
        let more = reaction(event)
        recording.update { recording in
            recording.demand += more
            recording.isDelivering = false
        }
        return more
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        recording.update { recording in
            if recording.completion != nil { recording.violations.append("a second completion") }
            recording.completion = completion
            recording.subscription = nil
        }
    }

    func request(_ demand: Subscribers.Demand) {
        let subscription = recording.update { recording in
            recording.demand += demand
            return recording.subscription
        }
        subscription?.subscription.request(demand)
    }

    func cancel() {
        recording.update { $0.subscription.take() }?.subscription.cancel()
    }

    /// Waits for the completion, and checks the contract.
    func finished(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Recording {
        let recording = try await recording.wait(for: "the completion") { $0.completion != nil }
        #expect(recording.violations == [], sourceLocation: sourceLocation)
        // The grammar of `Download.Event`, with runs of progress shortened.
        let attempt = "(over:[^,]*,|resuming[^,]*,)?(progress,)?"
        let grammar = try Regex("(\(attempt)retrying[^,]*,)*\(attempt)(finished,)?")
        let outline = recording.outline.map { "\($0)," }.joined()
        #expect(outline.wholeMatch(of: grammar) != nil, "\(outline)", sourceLocation: sourceLocation)
        #expect((recording.file != nil) == (recording.failure == nil), sourceLocation: sourceLocation)
        return recording
    }

    static func record(
        _ download: Download, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Recording {
        let recorder = DownloadRecorder()
        download.subscribe(recorder)
        return try await recorder.finished(sourceLocation: sourceLocation)
    }
}
