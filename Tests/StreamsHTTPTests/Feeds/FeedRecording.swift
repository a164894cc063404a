import StreamsHTTP
import Testing

typealias FeedRecorder<Element: Sendable> = StreamRecorder<FeedRecording<Element>>

/// The events of a feed.
struct FeedRecording<Element: Sendable>: StreamRecording {
    private(set) var events: [Feed<Element>.Event] = []
    private(set) var elements: [Element] = []
    private var grammar = FeedGrammar()
    var signals = SignalLog()

    var violations: [String] { grammar.violations + signals.violations }

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

    mutating func accept(_ event: Feed<Element>.Event) {
        grammar.accept(event)
        if case .element(let element) = event { elements.append(element) }
        events.append(event)
    }

    mutating func complete(_ completion: Subscribers.Completion<HTTPError>) {
        grammar.complete()
    }
}

extension StreamRecorder {
    /// Waits for a number of elements of a feed, cancels, and checks all signals.
    func elements<Element>(
        _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [Element] where Recording == FeedRecording<Element> {
        try await wait(for: "\(count) elements") { $0.elements.count >= count || $0.isComplete }
        cancel()
        #expect(!recording.value.isComplete, sourceLocation: sourceLocation)
        verify(sourceLocation: sourceLocation)
        return recording.value.elements
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

    private(set) var violations: [String] = []
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
        if state == .gap { violations.append("a completion after a gap that announces another connection") }
        state = .over
    }
}
