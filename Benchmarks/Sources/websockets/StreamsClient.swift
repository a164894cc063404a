import StreamsHTTP
import Synchronization

/// This library as a client.
struct StreamsClient: SocketClient {
    enum Sending {
        /// Each message that is sent is awaited, and so are the events, by a task.
        case awaited
        case published
        case publishedFromMainActor
    }

    let sending: Sending
    private let client = HTTPClient()

    init(sending: Sending) {
        self.sending = sending
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
        if sending == .awaited {
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
        guard sending != .awaited else { return open }
        return PublishingSocket(open: open, isOnMainActor: sending == .publishedFromMainActor)
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
    let isOnMainActor: Bool

    func send(_ text: String) async throws {
        try await open.send(text)
    }

    func send(_ text: String, count: Int) async throws {
        guard !isOnMainActor else { return try await sendFromMainActor(text, count: count) }
        try await open.socket.send(contentsOf: Self.messages(text, count))
    }

    @MainActor
    private func sendFromMainActor(_ text: String, count: Int) async throws {
        try await open.socket.send(contentsOf: Self.messages(text, count))
    }

    private static func messages(_ text: String, _ count: Int) -> some Publisher<WebSocket.Message, Never> {
        repeatElement(.text(text), count: count).publisher
    }
}

extension Subscribers.Completion {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
