import StreamsHTTP
import StreamsTesting
import Testing

@Suite struct WebSocketSnapshotTests {
    private let scheduler = TestScheduler()
    private let server = SocketServer()

    @Test func showsOpenWebSocket() async throws {
        let client = server.client(scheduler)
        let recorder = SocketRecorder(of: client.webSocket(for: HTTPRequest(.get, "ws://h/chat?token=abc")))
        let connection = try await server.connection(1)
        connection.send(PeerFrames.text("one") + PeerFrames.text("two"))
        try await recorder.recording.wait(for: "two messages") { $0.messages.count == 2 }
        await scheduler.settle(advancingBy: .seconds(5))
        let snapshot = client.snapshot
        let socket = try #require(snapshot.webSockets.first)
        #expect(socket.phase == .open && socket.messages == 2 && !socket.url.contains("abc"))
        #expect(
            snapshot.description == """
                requests: 0 running, 0 waiting; feeds: 1 running, 0 waiting

                phase    age  messages  WebSocket
                 open  5.0 s         2  \(socket.url)
                """)
        recorder.cancel()
        #expect(client.snapshot.webSockets.isEmpty)
    }
}
