import StreamsHTTP
import Testing

/// A subscriber that records the events of a WebSocket.
final class SocketRecorder: Subscriber, Sendable {
    typealias Input = WebSocket.Event
    typealias Failure = HTTPError

    struct Recording: Sendable {
        var messages: [WebSocket.Message] = []
        var socket: WebSocket?
        var closing: WebSocket.Closing?
        var completion: Subscribers.Completion<HTTPError>?
        /// The kinds of the events, in their order.
        var outline: [String] = []

        var failure: String? {
            if case .failure(let error) = completion { error.name } else { nil }
        }
    }

    // Safe because a subscription may be used from any thread.
    private struct Handle: @unchecked Sendable {
        let subscription: any Subscription
    }

    let recording = Watched(Recording())
    private let demand: Subscribers.Demand
    private let subscription = Watched<Handle?>(nil)

    init(_ events: WebSocket.Events, demand: Subscribers.Demand = .unlimited) {
        self.demand = demand
        events.subscribe(self)
    }

    func receive(subscription: any Subscription) {
        self.subscription.update { $0 = Handle(subscription: subscription) }
        request(demand)
    }

    func receive(_ event: WebSocket.Event) -> Subscribers.Demand {
        recording.update { recording in
            switch event {
            case .open(let socket):
                recording.socket = socket
                recording.outline.append("open")
            case .message(let message):
                recording.messages.append(message)
                recording.outline.append("message")
            case .closed(let closing):
                recording.closing = closing
                recording.outline.append("closed \(closing.code)")
            }
        }
        return .none
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        recording.update { $0.completion = completion }
    }

    func request(_ demand: Subscribers.Demand) {
        if demand > .none { subscription.value?.subscription.request(demand) }
    }

    func cancel() { subscription.value?.subscription.cancel() }

    func socket() async throws -> WebSocket {
        try #require(try await recording.wait(for: "the opening") { $0.socket != nil }.socket)
    }

    @discardableResult
    func end() async throws -> Recording {
        try await recording.wait(for: "the end") { $0.completion != nil }
    }
}
