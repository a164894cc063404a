import StreamsHTTP
import StreamsTesting
import Testing

/// The samples of the article "From other WebSocket libraries to Streams".
@Suite struct FromOtherWebSocketsSamples {
    private let scheduler = TestScheduler()
    private let server = SocketServer()
    private let shown = Watched<[String]>([])

    private var client: HTTPClient { server.client(scheduler) }

    private func show(_ text: String) {
        shown.update { $0.append(text) }
    }

    @Test func sendsAndReceives() async throws {
        async let end: Void = follow()
        let connection = try await server.connection(1)
        try await connection.waitForFrames("a message") { $0 == [.text("subscribe")] }
        connection.send(PeerFrames.text("one") + PeerFrames.binary(Data([1, 2])) + PeerFrames.close(1000))
        connection.end()
        try await end
        #expect(shown.value == ["one", "2 bytes", "closed with 1000"])
    }

    private func follow() async throws {
        for try await event in client.webSocket(for: HTTPRequest(.get, "wss://example.com/prices")).values {
            switch event {
            case .open(let socket): try await socket.send("subscribe")
            case .message(.text(let text)): show(text)
            case .message(.binary(let data)): show("\(data.count) bytes")
            case .closed(let closing): show("closed with \(closing.code)")
            }
        }
    }

    @Test func connectsAgain() async throws {
        let prices = client.webSocketFeed(for: HTTPRequest(.get, "wss://example.com/prices")) { _ in ["subscribe"] }
        let subscription = prices.sink { completion in
            show("ended: \(completion)")
        } receiveValue: { message in
            if case .text(let text) = message { show(text) }
        }
        let first = try await server.connection(1)
        first.send(PeerFrames.text("one"))
        try await shown.wait(for: "a message") { $0 == ["one"] }
        first.end()
        await scheduler.settle(advancingBy: .seconds(10))
        let second = try await server.connection(2)
        try await second.waitForFrames("a message") { $0 == [.text("subscribe")] }
        subscription.cancel()
    }

    @Test func sendsManyMessages() async throws {
        async let end: Void = send(["one", "two"].publisher)
        let connection = try await server.connection(1)
        let frames = try await connection.waitForFrames("a close frame") { $0.last?.first == 0x88 }
        #expect(frames.dropLast() == [.text("one"), .text("two")])
        connection.send(PeerFrames.close(1000))
        connection.end()
        try await end
    }

    private func send(_ lines: some Publisher<String, Never> & Sendable) async throws {
        for try await event in client.webSocket(for: HTTPRequest(.get, "wss://example.com/log")).values {
            guard case .open(let socket) = event else { continue }
            try await socket.send(contentsOf: lines.map { .text($0) })
            try await socket.close()
        }
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/FromOtherWebSockets.md")
        #expect(article.samples.count == 3)
        try article.expectAll()
    }
}
