import StreamsTesting
import Testing

@testable import StreamsHTTP

/// WebSockets that are opened again, in virtual time.
@Suite struct WebSocketFeedTests {
    private let scheduler = TestScheduler()
    private let server = SocketServer()

    /// The position after a message is its text.
    private let cursor = Feed<WebSocket.Message>.Cursor { if case .text(let text) = $0 { text } else { nil } }

    private func record(
        cursor: Feed<WebSocket.Message>.Cursor? = nil, pingInterval: Duration? = nil,
        reconnection: FeedOptions.ReconnectPolicy = FeedOptions.ReconnectPolicy(),
        onOpen: @escaping @Sendable (String?) -> [WebSocket.Message] = { _ in [] }
    ) -> FeedRecorder<WebSocket.Message> {
        let recorder = FeedRecorder<WebSocket.Message>()
        var options = WebSocketOptions()
        options.pingInterval = pingInterval
        server.client(scheduler).webSocketFeed(
            for: HTTPRequest(.get, "/chat"), cursor: cursor, options: FeedOptions(reconnection: reconnection),
            socketOptions: options, onOpen: onOpen
        ).events.subscribe(recorder)
        return recorder
    }

    @Test func reopensLostConnectionFromPosition() async throws {
        let recorder = record(cursor: cursor) { [.text("from \($0 ?? "now")")] }
        for number in 1...5 {
            let connection = try await server.connection(number)
            let frames = try await connection.waitForFrames("a subscription") { !$0.isEmpty }
            #expect(frames == [.text("from \(number == 1 ? "now" : "\(number - 1)")")])
            connection.send(PeerFrames.text("\(number)"))
            try await recorder.recording.wait(for: "a message") { $0.elements.count == number }
            connection.end()
            await scheduler.settle(advancingBy: .seconds(60))
        }
        let recording = recorder.recording.value
        #expect(recording.elements == (1...5).map { .text("\($0)") } && recording.violations == [])
        #expect(recording.outline.contains("waiting: web-socket.lost"))
        recorder.cancel()
    }

    @Test func dropsRepeatedMessages() async throws {
        let recorder = record(cursor: cursor)
        let first = try await server.connection(1)
        first.send(PeerFrames.text("1") + PeerFrames.text("2"))
        try await recorder.recording.wait(for: "messages") { $0.elements.count == 2 }
        first.fail(.transfer(.receiveFailed))
        await scheduler.settle(advancingBy: .seconds(60))
        let second = try await server.connection(2)
        second.send(PeerFrames.text("2") + PeerFrames.text("3"))
        let recording = try await recorder.recording.wait(for: "messages") { $0.elements.count == 3 }
        #expect(recording.elements == ["1", "2", "3"])
        recorder.cancel()
    }

    @Test func reportsGapWithoutPosition() async throws {
        let recorder = record()
        let first = try await server.connection(1)
        first.send(PeerFrames.text("1"))
        try await recorder.recording.wait(for: "a message") { $0.elements.count == 1 }
        first.end()
        await scheduler.settle(advancingBy: .seconds(60))
        _ = try await server.connection(2)
        try await recorder.recording.wait(for: "a gap") { $0.outline.contains("feed.not-resumable") }
        recorder.cancel()
    }

    @Test(arguments: [1000, 1001, 1011, 1012, 1013] as [UInt16])
    func reconnectsAfterTransientCodes(code: UInt16) async throws {
        let recorder = record()
        let first = try await server.connection(1)
        first.send(PeerFrames.close(code))
        try await first.waitForFrames("a close frame") { $0.last?.first == 0x88 }
        first.end()
        await scheduler.settle(advancingBy: .seconds(60))
        _ = try await server.connection(2)
        recorder.cancel()
    }

    @Test(arguments: [1002, 1003, 1008, 1009, 4000, 4999] as [UInt16])
    func failsAfterPermanentCodes(code: UInt16) async throws {
        let recorder = record()
        let connection = try await server.connection(1)
        connection.send(PeerFrames.close(code, "no"))
        connection.end()
        let end = try await recorder.finished()
        guard case .webSocket(.closed) = end.failure?.reason else {
            Issue.record("\(String(describing: end.failure))")
            return
        }
        #expect(server.connections.value.count == 1)
    }

    @Test(arguments: [1000, 1001] as [UInt16])
    func finishesAfterOrderlyCloseByPolicy(code: UInt16) async throws {
        let recorder = record(reconnection: .never)
        let connection = try await server.connection(1)
        connection.send(PeerFrames.close(code))
        connection.end()
        #expect(try await recorder.finished().failure == nil)
    }

    @Test func reconnectsAfterMissedPong() async throws {
        let recorder = record(pingInterval: .seconds(30))
        let first = try await server.connection(1)
        try await recorder.recording.wait(for: "the opening") { $0.outline.contains("open 101") }
        await scheduler.settle(advancingBy: .seconds(30))
        try await first.waitForFrames("a ping") { $0.map(\.first) == [0x89] }
        await scheduler.settle(advancingBy: .seconds(60))
        _ = try await server.connection(2)
        try await first.isAborted.wait(for: "an abort") { $0 }
        #expect(recorder.recording.value.outline.contains("waiting: timeout.pong"))
        recorder.cancel()
    }

    @Test func closesAndFinishesOnShutdown() async throws {
        let client = server.client(scheduler)
        let recorder = FeedRecorder<WebSocket.Message>()
        client.webSocketFeed(for: HTTPRequest(.get, "/chat")).events.subscribe(recorder)
        let connection = try await server.connection(1)
        try await recorder.recording.wait(for: "the opening") { $0.outline.contains("open 101") }
        let shutdown = Task { await client.shutdown() }
        let frames = try await connection.waitForFrames("a close frame") { !$0.isEmpty }
        #expect(frames == [ClientFrame(first: 0x88, payload: Data([3, 233]))])
        connection.send(PeerFrames.close(1001))
        connection.end()
        #expect(try await recorder.finished().failure == nil)
        await shutdown.value
    }

    /// A server may reset the connection after its close frame, because the client had sent more.
    @Test(arguments: [1008, 4000] as [UInt16])
    func keepsCloseCodeBeforeReset(code: UInt16) async throws {
        let recorder = record()
        let connection = try await server.connection(1)
        connection.send(PeerFrames.close(code))
        connection.fail(.transfer(.receiveFailed))
        #expect(try await recorder.finished().failure?.name == "web-socket.closed")
    }

    @Test func finishesOnShutdownWhileWaiting() async throws {
        let client = server.client(scheduler)
        let recorder = FeedRecorder<WebSocket.Message>()
        client.webSocketFeed(for: HTTPRequest(.get, "/chat")).events.subscribe(recorder)
        let connection = try await server.connection(1)
        connection.end()
        try await recorder.recording.wait(for: "the wait") { $0.outline.contains("waiting: web-socket.lost") }
        await client.shutdown()
        #expect(try await recorder.finished().failure == nil)
        await scheduler.settle()
        #expect(server.connections.value.count == 1 && scheduler.pendingCount == 0)
    }

    @Test func finishesOnShutdownWithoutDemand() async throws {
        let client = server.client(scheduler)
        let recorder = FeedRecorder<WebSocket.Message>(demand: .max(2))
        client.webSocketFeed(for: HTTPRequest(.get, "/chat")).events.subscribe(recorder)
        let connection = try await server.connection(1)
        connection.send(PeerFrames.text("1") + PeerFrames.text("2"))
        try await recorder.recording.wait(for: "the opening") { $0.outline.contains("open 101") }
        let shutdown = Task(executorPreference: scheduler) { await client.shutdown() }
        await scheduler.settle()
        try await connection.waitForFrames("a close frame") { !$0.isEmpty }
        await scheduler.settle(advancingBy: .seconds(10))
        #expect(try await recorder.finished().failure == nil)
        await shutdown.value
    }
}
