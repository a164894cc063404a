import StreamsHTTP
import StreamsTesting
import Testing

/// The samples of the article "WebSockets", and those of documentation comments, which have the same code.
@Suite struct WebSocketsSamples {
    private let scheduler = TestScheduler()
    private let server = SocketServer()

    private var client: HTTPClient { server.client(scheduler) }

    @Test func readsMessages() async throws {
        async let reading = printMessages(client)
        let connection = try await server.connection(1)
        connection.send(PeerFrames.text("one") + PeerFrames.close(1000))
        try await connection.waitForFrames("a close frame") { $0.last?.first == 0x88 }
        connection.end()
        #expect(try await reading == ["text(\"one\")"])
    }

    private func printMessages(_ client: HTTPClient) async throws -> [String] {
        var printed: [String] = []
        func print(_ message: WebSocket.Message) { printed.append("\(message)") }

        for try await message in client.webSocket(for: HTTPRequest(.get, "wss://example.com/prices")).messages {
            print(message)
        }
        return printed
    }

    @Test func handlesEvents() async throws {
        async let reading = printEvents(client, HTTPRequest(.get, "wss://example.com/prices"))
        let connection = try await server.connection(1)
        try await connection.waitForFrames("a message") { $0 == [.text("subscribe")] }
        connection.send(PeerFrames.text("one") + PeerFrames.binary(Data([2])) + PeerFrames.close(1001, "bye"))
        connection.end()
        #expect(try await reading == ["one", "1 bytes", "closed: 1001 bye"])
    }

    private func printEvents(_ client: HTTPClient, _ request: HTTPRequest) async throws -> [String] {
        var printed: [String] = []
        func print(_ text: String) { printed.append(text) }

        for try await event in client.webSocket(for: request).values {
            switch event {
            case .open(let socket): try await socket.send("subscribe")
            case .message(.text(let text)): print(text)
            case .message(.binary(let data)): print("\(data.count) bytes")
            case .closed(let closing): print("closed: \(closing.code) \(closing.reason)")
            }
        }
        return printed
    }

    /// The sample of ``WebSocket``.
    private func printSomeEvents(_ client: HTTPClient) async throws {
        for try await event in client.webSocket(for: HTTPRequest(.get, "wss://example.com/prices")).values {
            switch event {
            case .open(let socket): try await socket.send("subscribe")
            case .message(let message): print(message)
            case .closed(let closing): print(closing)
            }
        }
    }

    @Test func setsOptions() async throws {
        var options = WebSocketOptions(subprotocols: ["graphql-transport-ws"])
        options.maxMessageSize = 1 << 20
        let request = HTTPRequest(.get, "wss://example.com/graphql").settingHeader("Origin", "https://example.com")
        let events = client.webSocket(for: request, options: options)

        let subscription = events.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
        let fields = try await server.connection(1).request.headers
        #expect(fields["Sec-WebSocket-Protocol"] == "graphql-transport-ws" && fields["Origin"] == "https://example.com")
        subscription.cancel()
    }

    @Test func sendsInATaskOfItsOwn() async throws {
        async let end: Void = exchange(client, HTTPRequest(.get, "wss://example.com/prices"), (1...3).publisher)
        let connection = try await server.connection(1)
        let frames = try await connection.waitForFrames("a close frame") { $0.last?.first == 0x88 }
        #expect(frames.dropLast() == [.text("1"), .text("2"), .text("3")])
        connection.send(PeerFrames.close(1000))
        connection.end()
        try await end
    }

    private func exchange(
        _ client: HTTPClient, _ request: HTTPRequest, _ readings: some Publisher<Int, Never> & Sendable
    ) async throws {
        var sending: Task<Void, any Error>?
        for try await event in client.webSocket(for: request).values {
            switch event {
            case .open(let socket):
                sending = Task {
                    try await socket.send(contentsOf: readings.map { .text("\($0)") })
                    try await socket.close()
                }
            case .message(let message): print(message)
            case .closed(let closing): print(closing.code)
            }
        }
        try await sending?.value
    }

    @Test func connectsAgain() async throws {
        // On the scheduler, which waits for it: the feed connects again when the task asks for another message.
        let following = Task(executorPreference: scheduler) { [client] in
            try await followOrders(client, HTTPRequest(.get, "wss://example.com/orders"))
        }
        let first = try await server.connection(1)
        try await first.waitForFrames("a subscription") { $0 == [.text(#"{"subscribe": "orders", "after": null}"#)] }
        first.send(PeerFrames.text("7"))
        first.end()
        await scheduler.settle(advancingBy: .seconds(10))
        let second = try await server.connection(2)
        try await second.waitForFrames("a subscription") { $0 == [.text(#"{"subscribe": "orders", "after": 7}"#)] }
        following.cancel()
        let error = await #expect(throws: HTTPError.self) { try await following.value }
        #expect(error?.isCancellation == true)
    }

    private func followOrders(_ client: HTTPClient, _ request: HTTPRequest) async throws {
        let cursor = Feed<WebSocket.Message>.Cursor { sequenceNumber(of: $0) }
        let orders = client.webSocketFeed(for: request, cursor: cursor) { position in
            [.text(#"{"subscribe": "orders", "after": \#(position ?? "null")}"#)]
        }
        for try await order in orders.values { print(order) }
    }

    private func sequenceNumber(of message: WebSocket.Message) -> String? {
        if case .text(let text) = message { text } else { nil }
    }

    /// The sample of `webSocketFeed(for:cursor:options:socketOptions:onOpen:)`.
    private func followPrices(_ client: HTTPClient) -> Feed<WebSocket.Message> {
        let prices = client.webSocketFeed(for: HTTPRequest(.get, "wss://example.com/prices")) { position in
            [.text("subscribe from \(position ?? "now")")]
        }
        return prices
    }

    /// The sample of ``WebSocketCloseCode``.
    @Test func aCodeOfAnApplicationCanBeSent() {
        let sessionExpired = WebSocketCloseCode(rawValue: 4001)
        #expect(sessionExpired.isSendable)
    }

    @Test(arguments: [(1000, "closed in order"), (1008, "not allowed"), (4000, "failed: ")] as [(UInt16, String)])
    func handlesErrors(code: UInt16, result: String) async throws {
        async let reading = readToTheEnd(client, HTTPRequest(.get, "wss://example.com/prices"))
        let connection = try await server.connection(1)
        connection.send(PeerFrames.close(code))
        connection.end()
        #expect(await reading.hasPrefix(result))
    }

    private func readToTheEnd(_ client: HTTPClient, _ request: HTTPRequest) async -> String {
        do throws(HTTPError) {
            for try await message in client.webSocket(for: request).messages { print(message) }
            return "closed in order"
        } catch {
            switch error.reason {
            case .status(let response): return "refused: \(response.status)"
            case .webSocket(.lost), .timeout(.pong), .connection, .transfer: return "try again later"
            case .webSocket(let failure) where failure.closeCode == .policyViolation: return "not allowed"
            default: return "failed: \(error)"
            }
        }
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/WebSockets.md")
        #expect(article.samples.count == 6)
        try article.expectAll()
    }
}
