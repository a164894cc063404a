import StreamsHTTP
import Synchronization

/// This library as a client.
struct StreamsClient: SocketClient {
    /// Whether the events are awaited by a task, and each message that is sent.
    let awaits: Bool
    private let client = HTTPClient()

    init(awaits: Bool) {
        self.awaits = awaits
    }

    func open(_ url: String, onText: @escaping @Sendable (String) -> Void) async throws -> any OpenSocket {
        var options = WebSocketOptions()
        // The server has no compression, and neither have the others.
        options.offersCompression = false
        let events = client.webSocket(for: HTTPRequest(.get, url), options: options)
        let (opened, opening) = AsyncThrowingStream<WebSocket, any Error>.makeStream()
        let onEvent = { @Sendable (event: WebSocket.Event) in
            switch event {
            case .open(let socket): opening.yield(socket)
            case .message(.text(let text)): onText(text)
            case .message(.binary), .closed: break
            }
        }
        let subscription: AnyCancellable
        if awaits {
            let task = Task { for try await event in events.values { onEvent(event) } }
            subscription = AnyCancellable { task.cancel() }
        } else {
            subscription = events.sink(
                receiveCompletion: { opening.finish(throwing: $0.failure) }, receiveValue: onEvent)
        }
        for try await socket in opened { return open(socket, subscription) }
        throw Failure("the WebSocket does not open")
    }

    private func open(_ socket: WebSocket, _ subscription: AnyCancellable) -> any OpenSocket {
        let open = AwaitingSocket(socket: socket, subscription: subscription)
        return awaits ? open : PublishingSocket(open: open)
    }
}

/// A WebSocket on which each message is awaited.
private struct AwaitingSocket: OpenSocket {
    let socket: WebSocket
    let subscription: AnyCancellable

    func send(_ text: String) async throws {
        try await socket.send(.text(text))
    }
}

/// A WebSocket on which many messages are sent by a publisher.
private struct PublishingSocket: OpenSocket {
    let open: AwaitingSocket

    func send(_ text: String) async throws {
        try await open.send(text)
    }

    func send(_ text: String, count: Int) async throws {
        try await open.socket.send(contentsOf: repeatElement(WebSocket.Message.text(text), count: count).publisher)
    }
}

extension Subscribers.Completion {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
