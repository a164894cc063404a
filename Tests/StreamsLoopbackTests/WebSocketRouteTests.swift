import StreamsLoopback
import Testing

/// WebSockets, as a client sees their bytes.
@Suite(.serialized) struct WebSocketRouteTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer(limits: LoopbackServer.Limits(recording: 1000, socketBuffers: 16 * 1024))
    }

    private let upgrade = request(
        "GET", "/", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")

    /// Opens a WebSocket to a script.
    private func open(intake: Intake = .atOnce, _ steps: WebSocketStep..., patience: Int = 20_000) throws -> RawClient {
        server.on("GET", "/", intake: intake, .webSocket(steps))
        let client = try RawClient(port: server.port, patience: patience)
        client.send(upgrade)
        #expect(client.readHead().hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
        return client
    }

    /// A frame of a client.
    ///
    /// - Parameter first: The opcode, and the bits before it.
    private func frame(_ first: UInt8, _ payload: some Collection<UInt8>) -> [UInt8] {
        let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        let length = UInt64(payload.count)
        let lengthBytes: [UInt8] =
            switch length {
            case ..<126: [0x80 | UInt8(length)]
            case ...0xFFFF: [0x80 | 126, UInt8(length >> 8), UInt8(length & 0xFF)]
            default: [0x80 | 127] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
            }
        return [first] + lengthBytes + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
    }

    private func text(_ text: String) -> [UInt8] { frame(0x81, text.utf8) }
    private let close = [UInt8(0x88), 0x82, 0, 0, 0, 0, 0x03, 0xE8]

    @Test func acceptsRequest() throws {
        server.on("GET", "/", .webSocket())
        let client = try RawClient(port: server.port)
        client.send(upgrade)
        let head = client.readHead()
        #expect(head.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
        // The example of RFC 6455, section 1.3.
        #expect(head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        #expect(head.contains("Upgrade: websocket\r\nConnection: Upgrade\r\n"))
        #expect(!head.contains("Content-Length"))
    }

    @Test func refusesOtherRequests() throws {
        server.on("GET", "/", .webSocket())
        let client = try RawClient(port: server.port)
        client.send(request("GET", "/", "Connection: close"))
        #expect(client.readText().text.hasPrefix("HTTP/1.1 426 Upgrade Required\r\n"))
    }

    @Test func echoesAndRecordsMessages() async throws {
        let client = try open(.echo)
        client.send(text("hello"))
        #expect(client.read(exactly: 7) == [0x81, 5] + "hello".utf8)
        // A message in two frames, with a ping between them.
        client.send(frame(0x02, [1, 2]) + frame(0x89, [9]) + frame(0x80, [3]))
        #expect(client.read(exactly: 8) == [0x8A, 1, 9, 0x82, 3, 1, 2, 3])
        // Messages before the close frame are answered.
        client.send(text("a") + text("b") + close)
        let (bytes, end) = client.readAll()
        #expect(bytes == [0x81, 1, 0x61, 0x81, 1, 0x62, 0x88, 2, 0x03, 0xE8] && end == .orderly)
        let journal = try await server.wait { $0.requests.first?.state.isEnd == true }
        let recorded = try #require(journal.requests.first)
        #expect(recorded.state == .replied && recorded.messageCount == 4 && recorded.closeCode == 1000)
        #expect(recorded.messages == ["hello", .binary([1, 2, 3]), "a", "b"])
        #expect(recorded.bytesWritten == 25)
    }

    @Test(arguments: [125, 126, 65_535, 65_536, 300_000])
    func echoesLengthsOfEveryForm(length: Int) async throws {
        let client = try open(.echo)
        let content = GeneratedBytes.bytes(0..<length)
        let sent = frame(0x82, content)
        client.send(sent)
        let headerSize = length < 126 ? 2 : length <= 0xFFFF ? 4 : 10
        let received = client.read(exactly: headerSize + length)
        #expect(received.count == headerSize + length && received.prefix(2) == [0x82, sent[1] & 0x7F])
        #expect(GeneratedBytes.matches(received.dropFirst(headerSize), at: 0))
        let recorded = try #require(server.requests.first)
        // Only as much as the limit allows.
        #expect(recorded.messages.count == (length <= 1000 ? 1 : 0) && recorded.messageCount == 1)
        #expect(recorded.bodyCount == sent.count)
    }

    @Test func followsScript() async throws {
        let client = try open(
            .send("one"), .ping, .bytes([0x83, 0]), .receive, .send(.binary([2])), .close(1001, reason: "bye"))
        #expect(client.read(exactly: 9) == [0x81, 3] + "one".utf8 + [0x89, 0, 0x83, 0])
        client.send(text("go on"))
        #expect(client.read(exactly: 10) == [0x82, 1, 2, 0x88, 5, 0x03, 0xE9] + "bye".utf8)
        client.send(close)
        #expect(client.readAll().end == .orderly)
        try await server.wait { $0.requests.first?.state == .replied }
    }

    @Test func answersByMessage() throws {
        let client = try open(.answer { message in [.send(message == "a" ? "first" : "second"), .drop] })
        client.send(text("a"))
        #expect(client.readAll().bytes == [0x81, 5] + "first".utf8)
    }

    @Test func dropsConnection() async throws {
        let dropped = try open(.send("one"), .drop).readAll()
        #expect(dropped.bytes == [0x81, 3] + "one".utf8 && dropped.end == .orderly)
        #expect(try open(.reset).readAll().end == .reset)
        try await server.wait { $0.requests.map(\.state) == [.faulted, .faulted] }
    }

    @Test func repliesInTurn() throws {
        server.on("GET", "/", .webSocket(.drop), .status(503), .webSocket(.close(nil)))
        var replies: [String] = []
        for _ in 0..<3 {
            let client = try RawClient(port: server.port)
            client.send(upgrade)
            replies.append(String(client.readHead().prefix(12)))
        }
        #expect(replies == ["HTTP/1.1 101", "HTTP/1.1 503", "HTTP/1.1 101"])
    }

    @Test func stopsAnswering() throws {
        let client = try open(.stopAnswering, .echo)
        client.send(frame(0x89, [9]) + text("a"))
        #expect(client.read(exactly: 3) == [0x81, 1, 0x61])
        client.send(close)
        client.finishSending()
        #expect(client.readAll().bytes.isEmpty)
    }

    @Test func waitsAsScripted() throws {
        let gate = Gate()
        let client = try open(.hold(gate), .send("a"), .pause(.milliseconds(20)), .send("b"))
        // Meanwhile, the server listens.
        client.send(frame(0x89, []))
        #expect(client.read(exactly: 2) == [0x8A, 0])
        let start = ContinuousClock.now
        gate.open()
        #expect(client.read(exactly: 6) == [0x81, 1, 0x61, 0x81, 1, 0x62])
        #expect(ContinuousClock.now - start >= .milliseconds(20))
    }

    @Test func readsNothing() throws {
        let client = try open(intake: .never, .send("a"), .echo, patience: 200)
        #expect(client.read(exactly: 3) == [0x81, 1, 0x61])
        let content = [UInt8](repeating: 1, count: 1 << 20)
        var sent = 0
        for _ in 0..<64 {
            let count = client.send(frame(0x82, content))
            sent += count
            if count < content.count { break }
        }
        #expect(sent < 64 << 20)
        #expect(server.requests.first?.bodyCount == 0)
    }

    @Test func readsAfterGateAndSlowly() async throws {
        let gate = Gate()
        let held = try open(intake: .after(gate), .echo)
        held.send(text("a"))
        try await server.wait { $0.requests.first?.state == .replying }
        #expect(server.requests.first?.bodyCount == 0)
        gate.open()
        #expect(held.read(exactly: 3) == [0x81, 1, 0x61])

        let slow = try open(intake: .paced(bytes: 10, every: .milliseconds(5)), .echo)
        let start = ContinuousClock.now
        let content = GeneratedBytes.bytes(0..<100)
        slow.send(frame(0x82, content))
        #expect(slow.read(exactly: 102) == [0x82, 100] + content)
        // 106 bytes in 11 parts.
        #expect(ContinuousClock.now - start >= .milliseconds(50))
    }

    @Test func stopsFloodWhileClientReadsNothing() async throws {
        let client = try open(.flood(bytes: 1000))
        try await server.waitForBackPressure()
        let written = server.bytesWritten
        #expect(written > 1000 && written < 32 << 20)
        #expect(client.read(exactly: 1004).prefix(4) == [0x82, 126, 0x03, 0xE8])
        server.stop()
        #expect(server.requests.first?.state == .stopped)
    }

    @Test(arguments: [[0x81, 1, 0x61], [0x83, 0x80, 0, 0, 0, 0], [0xC1, 0x80, 0, 0, 0, 0]] as [[UInt8]])
    func rejectsMalformedFrames(frame: [UInt8]) async throws {
        let client = try open(.echo)
        client.send(frame)
        #expect(client.readAll().bytes == [0x88, 2, 0x03, 0xEA])
        let journal = try await server.wait { $0.requests.first?.state.isEnd == true }
        #expect(journal.requests.first?.state == .rejected)
        #expect(journal.rejections.count == 1 && journal.rejections.first?.hasPrefix("1002: ") == true)
    }

    @Test func endsWaitingScriptWhenStopped() async throws {
        let client = try open(.hold(Gate()))
        try await server.wait { $0.requests.first?.state == .replying }
        server.stop()
        #expect(client.readAll().end != .silent)
        #expect(server.requests.first?.state == .stopped && server.openConnections == 0)
    }
}
