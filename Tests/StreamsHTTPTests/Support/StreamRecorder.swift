import StreamsHTTP
import Testing

/// A subscriber that records a stream, requests as many events as a test wants, and checks every signal.
final class StreamRecorder<Recording: StreamRecording>: Subscriber, Cancellable, Sendable {
    typealias Input = Recording.Event
    typealias Failure = HTTPError

    /// A closure that reacts to an event from inside it, and returns the additional demand.
    typealias Reaction = @Sendable (StreamRecorder, Recording.Event) -> Subscribers.Demand

    let recording: Watched<Recording>
    private let initialDemand: Subscribers.Demand
    private let isCancellingOnSubscription: Bool
    private let reaction: Reaction?

    init(
        demand: Subscribers.Demand = .unlimited, recording: Recording = Recording(),
        isCancellingOnSubscription: Bool = false, reaction: Reaction? = nil
    ) {
        self.recording = Watched(recording)
        initialDemand = demand
        self.isCancellingOnSubscription = isCancellingOnSubscription
        self.reaction = reaction
    }

    /// Creates a recorder, and subscribes it to a publisher.
    convenience init(
        of publisher: some Publisher<Recording.Event, HTTPError>, demand: Subscribers.Demand = .unlimited
    ) {
        self.init(demand: demand)
        publisher.subscribe(self)
    }

    func receive(subscription: any Subscription) {
        recording.update { $0.signals.subscription = Handle(subscription: subscription) }
        if isCancellingOnSubscription { cancel() }
        if initialDemand > .none { request(initialDemand) }
    }

    func receive(_ event: Recording.Event) -> Subscribers.Demand {
        recording.update { recording in
            recording.signals.beginEvent()
            recording.accept(event)
        }
        let more = reaction?(self, event) ?? .none
        recording.update { $0.signals.endEvent(requesting: more) }
        return more
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        let subscription = recording.update { recording in
            recording.signals.complete(completion)
            recording.complete(completion)
            return recording.signals.subscription.take()
        }
        withExtendedLifetime(subscription) {}
    }

    func request(_ demand: Subscribers.Demand) {
        let subscription = recording.update { recording in
            recording.signals.demand += demand
            return recording.signals.subscription
        }
        subscription?.subscription.request(demand)
    }

    /// Cancels the stream. After a call from inside an event, no signal may follow.
    func cancel() {
        recording.update { $0.signals.subscription }?.subscription.cancel()
        let subscription = recording.update { $0.signals.didCancel() }
        withExtendedLifetime(subscription) {}
    }
}

extension StreamRecorder {
    /// Subscribes to a publisher, waits for the completion, and checks all signals.
    @discardableResult
    static func record(
        _ publisher: some Publisher<Recording.Event, HTTPError>, demand: Subscribers.Demand = .unlimited,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Recording {
        try await StreamRecorder(of: publisher, demand: demand).finished(sourceLocation: sourceLocation)
    }

    /// Waits for the completion, and checks all signals.
    @discardableResult
    func finished(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Recording {
        let recording = try await recording.wait(for: "the completion") { $0.isComplete }
        verify(sourceLocation: sourceLocation)
        return recording
    }

    /// Waits until the recording meets a condition.
    @discardableResult
    func wait(for what: String, until condition: (Recording) -> Bool) async throws -> Recording {
        try await recording.wait(for: what, until: condition)
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

    /// Checks the signals received so far.
    func verify(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(recording.value.violations == [], sourceLocation: sourceLocation)
    }
}

/// The events of a stream, and the breaches of its grammar.
protocol StreamRecording: Sendable {
    associatedtype Event: Sendable

    /// The signals of the stream, which a recorder updates before their contents.
    var signals: SignalLog { get set }
    /// The names of the events, fit for comparing.
    var outline: [String] { get }
    /// The breaches of the contract and of the grammar.
    var violations: [String] { get }

    init()
    mutating func accept(_ event: Event)
    mutating func complete(_ completion: Subscribers.Completion<HTTPError>)
}

extension StreamRecording {
    var violations: [String] { signals.violations }
    var completion: Subscribers.Completion<HTTPError>? { signals.completion }
    var isComplete: Bool { completion != nil }
    var eventCount: Int { signals.eventCount }
    var signalCount: Int { eventCount + (isComplete ? 1 : 0) }
    /// Whether the stream was cancelled from inside an event, after which no signal may follow.
    var isSilenced: Bool { signals.isSilenced }

    var failure: HTTPError? {
        if case .failure(let error) = completion { error } else { nil }
    }

    mutating func complete(_ completion: Subscribers.Completion<HTTPError>) {}
}

/// The signals of a stream without their contents, and the breaches of the rules for all streams.
struct SignalLog: Sendable {
    fileprivate(set) var completion: Subscribers.Completion<HTTPError>?
    fileprivate(set) var eventCount = 0
    fileprivate(set) var isSilenced = false
    var violations: [String] = []
    fileprivate var subscription: Handle?
    fileprivate var demand = Subscribers.Demand.none
    private var isDelivering = false

    fileprivate mutating func beginEvent() {
        begin()
        if demand == .none { violations.append("an event beyond the demand") }
        demand -= 1
        eventCount += 1
        isDelivering = true
    }

    fileprivate mutating func endEvent(requesting more: Subscribers.Demand) {
        demand += more
        isDelivering = false
    }

    fileprivate mutating func complete(_ completion: Subscribers.Completion<HTTPError>) {
        begin()
        self.completion = completion
    }

    /// - Returns: The subscription, which the caller releases.
    fileprivate mutating func didCancel() -> Handle? {
        if isDelivering { isSilenced = true }
        return subscription.take()
    }

    private mutating func begin() {
        if isDelivering { violations.append("a signal while another was being delivered") }
        if isSilenced { violations.append("a signal after the cancellation") }
        if completion != nil { violations.append("a signal after the completion") }
    }
}

/// A subscription in a value that is sendable.
// Safe because a subscription may be used from any thread.
private struct Handle: @unchecked Sendable {
    let subscription: any Subscription
}
