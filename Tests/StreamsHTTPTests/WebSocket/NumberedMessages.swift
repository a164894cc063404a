import StreamsHTTP
import StreamsLoopback

/// A feed of numbered messages, whose server drops each connection after a few of them. The first message of the client
/// names the number that it has received last.
struct NumberedMessages {
    /// The elements and gaps that a feed has delivered.
    struct Recording {
        var numbers: [Int] = []
        var gapCount = 0
        /// Whether numbers are missing without a gap in their place.
        var hasUntoldGap = false
    }

    /// The number of messages on each connection.
    let perConnection: Int
    /// Whether the server has forgotten a message whenever the client comes back for the fourth time.
    let forgets: Bool

    func reply(to request: RecordedRequest) -> Reply {
        // Connections end in all the ways that they can, also in the middle of a frame.
        let endings: [[WebSocketStep]] = [
            [.drop], [.reset], [.bytes([0x81, 5, 0x39]), .drop], [.bytes([0x81]), .reset],
        ]
        let ending = endings[request.turn % endings.count]
        let missingCount = forgets && request.turn % 4 == 0 ? 1 : 0
        return .webSocket(
            .answer { [perConnection] message in
                guard case .text(let text) = message, let last = Int(text) else { return [.close(1008)] }
                let first = last + 1 + missingCount
                return (first..<(first + perConnection)).map { .send(.text("\($0)")) } + ending
            })
    }

    /// Receives the messages up to a number.
    func receive(upTo last: Int, from client: HTTPClient) async throws -> Recording {
        var cursor = Feed<WebSocket.Message>.Cursor(
            position: { if case .text(let text) = $0 { text } else { nil } }, resume: { request, _ in request })
        cursor.start = "0"
        var options = FeedOptions.immediate
        options.areSuccessive = FeedOptions.consecutiveNumbers
        let feed = client.webSocketFeed(for: HTTPRequest(.get, "/"), cursor: cursor, options: options) { position in
            [.text(position ?? "0")]
        }
        var recording = Recording()
        var isTold = false
        for try await event in feed.events.values {
            switch event {
            case .element(.text(let text)):
                guard let number = Int(text) else { return recording }
                if number != (recording.numbers.last ?? 0) + 1, !isTold { recording.hasUntoldGap = true }
                isTold = false
                recording.numbers.append(number)
                if number >= last { return recording }
            case .gap:
                isTold = true
                recording.gapCount += 1
            default: break
            }
        }
        return recording
    }
}
