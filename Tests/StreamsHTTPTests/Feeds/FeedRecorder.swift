import StreamsHTTP
import Testing

/// A subscriber that records the events of a feed, and checks them against the grammar.
final class FeedRecorder<Element: Sendable>: Subscriber, Sendable {
    typealias Input = Feed<Element>.Event
    typealias Failure = HTTPError

    struct Recording: Sendable {
        var events: [Feed<Element>.Event] = []
        var elements: [Element] = []
        var completion: Subscribers.Completion<HTTPError>?
        var grammar = FeedGrammar()
        var demand = Subscribers.Demand.none
        fileprivate var subscription: Handle?
        fileprivate var isDelivering = false

        var failure: HTTPError? {
            if case .failure(let error) = completion { error } else { nil }
        }

        /// The events by their names, with runs of elements shortened.
        var outline: [String] {
            events.reduce(into: []) { outline, event in
                switch event {
                case .connecting(let attempt): outline.append("connecting \(attempt)")
                case .open(let head): outline.append("open \(head.status.code)")
                case .element: if outline.last != "elements" { outline.append("elements") }
                case .comment(let text): outline.append("comment\(text)")
                case .gap(let gap): outline.append(gap.name)
                case .waiting(let wait): outline.append("waiting: \(wait.error?.name ?? "end")")
                }
            }
        }

        var delays: [Duration] {
            events.compactMap { if case .waiting(let wait) = $0 { wait.delay } else { nil } }
        }
    }

    // Safe because a subscription may be used from any thread.
    fileprivate struct Handle: @unchecked Sendable {
        let subscription: any Subscription
    }

    let recording = Watched(Recording())
    private let initialDemand: Subscribers.Demand
    private let reaction: @Sendable (Feed<Element>.Event) -> Subscribers.Demand

    init(
        demand: Subscribers.Demand = .unlimited,
        reaction: @escaping @Sendable (Feed<Element>.Event) -> Subscribers.Demand = { _ in .none }
    ) {
        initialDemand = demand
        self.reaction = reaction
    }

    /// Creates a subscriber of the events of a feed, and subscribes it.
    convenience init(of feed: Feed<Element>) {
        self.init()
        feed.events.subscribe(self)
    }

    func receive(subscription: any Subscription) {
        recording.update { $0.subscription = Handle(subscription: subscription) }
        request(initialDemand)
    }

    func receive(_ event: Feed<Element>.Event) -> Subscribers.Demand {
        recording.update { recording in
            if recording.isDelivering { recording.grammar.violations.append("overlapping events") }
            if recording.demand == .none { recording.grammar.violations.append("an event beyond the demand") }
            recording.isDelivering = true
            recording.demand -= 1
            recording.grammar.accept(event)
            if case .element(let element) = event { recording.elements.append(element) }
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
            recording.grammar.complete()
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

    /// Waits for the completion, and checks the grammar.
    func finished(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Recording {
        let recording = try await recording.wait(for: "the completion") { $0.completion != nil }
        #expect(recording.grammar.violations == [], sourceLocation: sourceLocation)
        return recording
    }

    /// Waits for a number of elements, cancels, and checks the grammar.
    func elements(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [Element] {
        try await recording.wait(for: "\(count) elements") { $0.elements.count >= count || $0.completion != nil }
        cancel()
        let recording = recording.value
        #expect(recording.completion == nil, sourceLocation: sourceLocation)
        #expect(recording.grammar.violations == [], sourceLocation: sourceLocation)
        return recording.elements
    }
}

/// The grammar of a feed's events, as documented at `Feed.Event`:
///
///     (connecting (open (element | comment | gap)*)? (gap | waiting)?)* finished
struct FeedGrammar: Sendable {
    private enum State {
        case idle
        case connecting
        case open
        case gap
        case waiting
        case over
    }

    var violations: [String] = []
    private var state = State.idle

    mutating func accept<Element>(_ event: Feed<Element>.Event) {
        let allowed: [State]
        let next: State
        switch event {
        case .connecting: (allowed, next) = ([.idle, .open, .gap, .waiting], .connecting)
        case .open: (allowed, next) = ([.connecting], .open)
        case .element, .comment: (allowed, next) = ([.open], .open)
        case .gap: (allowed, next) = ([.connecting, .open], state == .open ? .open : .gap)
        case .waiting: (allowed, next) = ([.connecting, .open], .waiting)
        }
        if !allowed.contains(state) { violations.append("\(event) after \(state)") }
        state = next
    }

    mutating func complete() {
        if state == .over { violations.append("a second completion") }
        if state == .gap { violations.append("a completion after a gap that announces another connection") }
        state = .over
    }
}
