import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// WebSockets on real sockets, to a scripted server.
@Suite(.reservesDescriptors) struct WebSocketConnectionTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer(limits: LoopbackServer.Limits(recording: 32 << 20, socketBuffers: 64 * 1024))
    }

    private func record(
        demand: Subscribers.Demand = .unlimited, _ options: WebSocketOptions = WebSocketOptions()
    ) -> SocketRecorder {
        SocketRecorder(of: server.client().webSocket(for: HTTPRequest(.get, "/"), options: options), demand: demand)
    }

    @Test func receivesEchoesOfEverySize() async throws {
        server.on("GET", "/", .webSocket(.echo))
        let recorder = record()
        let socket = try await recorder.socket()
        let messages: [WebSocket.Message] = [
            "hello", "", .binary(Data([1])), .text((0..<30_000).map { "ä\($0)" }.joined()),
            .binary(Data(GeneratedBytes.bytes(0..<(3 << 20)))), "bye",
        ]
        for message in messages { try await socket.send(message) }
        try await socket.close(code: .goingAway)
        let end = try await recorder.finished()
        let isExact = end.messages == messages
        #expect(isExact)
        #expect(end.closing == WebSocket.Closing(code: .goingAway) && end.failure == nil)
        try await server.wait { $0.requests.first?.state == .replied }
        #expect(server.requests.first?.closeCode == 1001)
    }

    // MARK: Demand

    @Test func waitsToSendWhileServerReadsNothing() async throws {
        let gate = Gate()
        server.on("GET", "/", intake: .after(gate), .webSocket())
        let recorder = record()
        let socket = try await recorder.socket()
        let (size, count) = (64 * 1024, 300)
        let sent = Watched(0)
        let sending = Task {
            for start in stride(from: 0, to: count * size, by: size) {
                try await socket.send(.binary(Data(GeneratedBytes.bytes(start..<start + size))))
                sent.update { $0 += 1 }
            }
        }
        // The bytes under way fit into the sockets' buffers.
        #expect(try await sent.waitForStandstill(lasting: .milliseconds(500)) * size < 12 << 20)
        #expect(server.requests.first?.bodyCount == 0)
        gate.open()
        try await sending.value
        try await server.wait { $0.requests.first?.messageCount == count }
        let expected: [WebSocketMessage] = (0..<count).map { number in
            .binary(GeneratedBytes.bytes(number * size..<(number + 1) * size))
        }
        let isExact = server.requests.first?.messages == expected
        #expect(isExact)
        recorder.cancel()
    }

    @Test func holdsBackFloodWithoutDemand() async throws {
        server.on("GET", "/", .webSocket(.flood(bytes: 16 * 1024)))
        let recorder = record(demand: .max(2))
        try await recorder.recording.wait(for: "a message") { $0.messages.count == 1 }
        // So long that no busy machine is taken for a client that does not read.
        let held = try await server.waitForBackPressure(lasting: .milliseconds(500)).bytesWritten
        // The bytes under way fit into the client's window and the sockets' buffers.
        #expect(held < 16 << 20)
        #expect(recorder.recording.value.messages.count == 1)
        recorder.request(.max(100))
        let recording = try await recorder.recording.wait(for: "messages") { $0.messages.count == 101 }
        let message = WebSocket.Message.binary(Data(GeneratedBytes.bytes(0..<16 * 1024)))
        let isExact = recording.messages.allSatisfy { $0 == message }
        #expect(isExact)
        recorder.cancel()
        try await server.waitForDisconnection()
    }

    // MARK: Failures

    @Test(arguments: [WebSocketStep.drop, .reset, .bytes([0x81, 100, 0x61])])
    func failsWhenServerDies(step: WebSocketStep) async throws {
        server.on("GET", "/", .webSocket(.send("one"), .receive, step, .drop))
        let recorder = record()
        try await recorder.recording.wait(for: "a message") { $0.messages == ["one"] }
        try await recorder.socket().send("die")
        let failure = try await recorder.finished().failure?.name
        if case .reset = step {
            #expect(failure == "transfer.receive-failed")
        } else {
            #expect(failure == "web-socket.lost")
        }
    }

    @Test func failsWhenServerStops() async throws {
        server.on("GET", "/", .webSocket())
        let recorder = record()
        let socket = try await recorder.socket()
        server.stop()
        #expect(try await recorder.finished().failure?.name == "web-socket.lost")
        await #expect(throws: HTTPError.self) { try await socket.send("too late") }
    }

    @Test func noticesSilentServer() async throws {
        server.on("GET", "/", .webSocket(.stopAnswering))
        var options = WebSocketOptions()
        options.pingInterval = .milliseconds(100)
        options.pongTimeout = .milliseconds(100)
        let start = ContinuousClock.now
        let recorder = record(options)
        #expect(try await recorder.finished().failure?.name == "timeout.pong")
        #expect(ContinuousClock.now - start >= .milliseconds(200))
        // The ping.
        #expect(try await server.waitForDisconnection().bodyCount == 6)
    }

    @Test func keepsServerThatAnswersPings() async throws {
        server.on("GET", "/", .webSocket())
        var options = WebSocketOptions()
        options.pingInterval = .milliseconds(10)
        let recorder = record(options)
        // The pings.
        try await server.wait { $0.requests.first.map { $0.bodyCount >= 5 * 6 } ?? false }
        #expect(recorder.recording.value.outline == ["open"] && recorder.recording.value.completion == nil)
        recorder.cancel()
    }

    @Test(
        arguments: [
            ([0x83, 0], "web-socket.protocol-error", 1002), ([0x81, 1, 0xFF], "web-socket.invalid-text", 1007),
        ] as [([UInt8], String, UInt16)])
    func failsOnBrokenFrames(bytes: [UInt8], failure: String, code: UInt16) async throws {
        server.on("GET", "/", .webSocket(.bytes(bytes)))
        #expect(try await record().finished().failure?.name == failure)
        try await server.wait { $0.requests.first?.closeCode == code }
    }

    // MARK: Cancellation and the end

    /// A message that has begun is sent to its end, since the server would take what follows for a part of it.
    @Test func finishesFrameOfCancelledSend() async throws {
        let gate = Gate()
        server.on("GET", "/", intake: .after(gate), .webSocket())
        let recorder = record()
        let socket = try await recorder.socket()
        // More than the buffers of the sockets take.
        let size = 8 << 20
        let content = GeneratedBytes.bytes(0..<size)
        let sending = Task { try await socket.send(.binary(Data(content))) }
        while socket.frames.takenCount == 0 { await Task.yield() }
        sending.cancel()
        let error = await #expect(throws: HTTPError.self) { try await sending.value }
        #expect(error?.isCancellation == true)
        gate.open()
        try await socket.send("next")
        try await server.wait { $0.requests.first?.messageCount == 2 }
        let isExact = server.requests.first?.messages == [.binary(content), "next"]
        #expect(isExact)
        #expect(server.requests.first?.bodyCount ?? 0 > size)
        recorder.cancel()
    }

    @Test func endsConnectionOnCancellation() async throws {
        server.on("GET", "/", .webSocket(.send("one")))
        let messages = server.client().webSocket(for: HTTPRequest(.get, "/")).messages
        let received = Watched(0)
        let receiving = Task {
            for try await _ in messages { received.update { $0 += 1 } }
        }
        try await received.wait(for: "a message") { $0 == 1 }
        receiving.cancel()
        let error = await #expect(throws: HTTPError.self) { try await receiving.value }
        #expect(error?.isCancellation == true)
        try await server.waitForDisconnection()
        #expect(server.requests.first?.closeCode == nil)
    }

    @Test func closesWithGoingAwayOnShutdown() async throws {
        server.on("GET", "/", .webSocket())
        let client = server.client()
        let recorder = SocketRecorder(of: client.webSocket(for: HTTPRequest(.get, "/")))
        _ = try await recorder.socket()
        await client.shutdown()
        let end = try await recorder.finished()
        #expect(end.closing == WebSocket.Closing(code: .goingAway) && end.failure == nil)
        #expect(server.requests.first?.closeCode == 1001)
        try await server.wait { $0.openConnections == 0 }
    }

    // MARK: Feeds

    @Test func deliversEachMessageOfFeedOnce() async throws {
        let numbers = NumberedMessages(perConnection: 10, forgets: false)
        server.on("GET", "/") { numbers.reply(to: $0) }
        let recording = try await numbers.receive(upTo: 500, from: server.client())
        #expect(recording.numbers == Array(1...500) && recording.gapCount == 0)
        #expect(server.requests.count >= 50)
    }

    @Test func reportsGapsOfFeed() async throws {
        let numbers = NumberedMessages(perConnection: 10, forgets: true)
        server.on("GET", "/") { numbers.reply(to: $0) }
        let recording = try await numbers.receive(upTo: 500, from: server.client())
        #expect(recording.numbers.last == 500 && recording.numbers.count < 500)
        #expect(recording.gapCount > 0 && recording.hasUntoldGap == false)
    }
}
