import StreamsTesting
import Testing

@testable import StreamsHTTP

/// WebSockets in virtual time, to a peer that the test plays.
@Suite struct WebSocketTests {
    private let scheduler = TestScheduler()
    private let server = SocketServer()

    private func record(
        _ server: SocketServer? = nil, demand: Subscribers.Demand = .unlimited,
        _ change: (inout WebSocketOptions) -> Void = { _ in }
    ) -> SocketRecorder {
        var options = WebSocketOptions()
        change(&options)
        let client = (server ?? self.server).client(scheduler)
        return SocketRecorder(
            of: client.webSocket(for: HTTPRequest(.get, "ws://h/chat"), options: options), demand: demand)
    }

    @Test func deliversMessagesInOrder() async throws {
        let recorder = record { $0.subprotocols = ["chat"] }
        let connection = try await server.connection(1)
        #expect(connection.request.headers["Sec-WebSocket-Protocol"] == "chat")
        #expect(connection.request.headers["Upgrade"] == "websocket")
        connection.send(PeerFrames.text("one") + PeerFrames.binary(Data([2])))
        connection.send(PeerFrames.text("three") + PeerFrames.close(1000, "bye"))
        try await connection.waitForFrames("a close frame") { $0.last?.first == 0x88 }
        connection.end()
        let end = try await recorder.finished()
        #expect(end.messages == ["one", .binary(Data([2])), "three"])
        #expect(end.closing == WebSocket.Closing(code: .normal, reason: "bye") && end.failure == nil)
        #expect(end.outline == ["open", "message", "message", "message", "closed 1000"])
    }

    @Test func obeysDemand() async throws {
        let recorder = record(demand: .max(2))
        let connection = try await server.connection(1)
        connection.send(PeerFrames.text("one") + PeerFrames.text("two") + PeerFrames.close(1000))
        connection.end()
        try await recorder.recording.wait(for: "a message") { $0.messages.count == 1 }
        let recording = try await recorder.recording.waitForStandstill()
        #expect(recording.messages == ["one"] && recording.completion == nil)
        // A close frame that has not been requested has not been answered, either.
        #expect(connection.frames.isEmpty)
        recorder.request(.max(1))
        try await recorder.recording.wait(for: "a message") { $0.messages.count == 2 }
        recorder.request(.max(1))
        #expect(try await recorder.finished().closing?.code == .normal)
    }

    @Test func answersPings() async throws {
        let recorder = record()
        let connection = try await server.connection(1)
        connection.send(PeerFrames.ping("are you there?"))
        let frames = try await connection.waitForFrames("a pong") { !$0.isEmpty }
        #expect(frames == [ClientFrame(first: 0x8A, payload: Data("are you there?".utf8))])
        recorder.cancel()
    }

    // MARK: Liveness

    @Test func pingsSilentPeerAndTimesOut() async throws {
        let recorder = record()
        let connection = try await server.connection(1)
        _ = try await recorder.socket()
        await scheduler.settle(advancingBy: .seconds(29))
        #expect(connection.frames.isEmpty)
        await scheduler.settle(advancingBy: .seconds(1))
        try await connection.waitForFrames("a ping") { $0.map(\.first) == [0x89] }
        await scheduler.settle(advancingBy: .seconds(20))
        #expect(try await recorder.finished().failure?.name == "timeout.pong")
        try await connection.isAborted.wait(for: "an abort") { $0 }
    }

    @Test(arguments: [PeerFrames.pong(), PeerFrames.text("here"), PeerFrames.ping()])
    func takesAnyFrameAsLife(frame: Data) async throws {
        let recorder = record()
        let connection = try await server.connection(1)
        _ = try await recorder.socket()
        for round in 1...5 {
            await scheduler.settle(advancingBy: .seconds(30))
            try await connection.waitForFrames("a ping") { frames in
                frames.filter { $0.first == 0x89 }.count == round
            }
            connection.send(frame)
        }
        #expect(recorder.recording.value.completion == nil)
        recorder.cancel()
        await scheduler.settle()
        #expect(scheduler.pendingCount == 0)
    }

    @Test func anAnswerBeginsTheNextInterval() async throws {
        let recorder = record { $0.pingInterval = .seconds(5) }
        let connection = try await server.connection(1)
        _ = try await recorder.socket()
        for round in 1...3 {
            await scheduler.settle(advancingBy: .seconds(5))
            try await connection.waitForFrames("a ping") { $0.count == round }
            connection.send(PeerFrames.pong())
        }
        recorder.cancel()
    }

    // MARK: Closing

    @Test func closesAfterMessages() async throws {
        let recorder = record()
        let connection = try await server.connection(1)
        let socket = try await recorder.socket()
        try await socket.send("last words")
        let closing = Task { try await socket.close(code: .goingAway, reason: "done") }
        let frames = try await connection.waitForFrames("a close frame") { $0.last?.first == 0x88 }
        #expect(frames == [.text("last words"), ClientFrame(first: 0x88, payload: Data([3, 233] + "done".utf8))])
        connection.send(PeerFrames.text("on the way") + PeerFrames.close(1001))
        connection.end()
        let end = try await recorder.finished()
        #expect(end.messages == ["on the way"] && end.failure == nil)
        #expect(end.closing == WebSocket.Closing(code: .goingAway))
        try await closing.value
        let error = await #expect(throws: HTTPError.self) { try await socket.send("too late") }
        #expect(error?.name == "web-socket.closed")
    }

    /// A program that closes inside of the loop over the events requests nothing meanwhile.
    @Test func closesWithoutDemand() async throws {
        let recorder = record(demand: .max(1))
        let connection = try await server.connection(1)
        let socket = try await recorder.socket()
        let closing = Task { try await socket.close() }
        try await connection.waitForFrames("a close frame") { $0.last?.first == 0x88 }
        connection.send(PeerFrames.text("not requested") + PeerFrames.close(1000))
        connection.end()
        try await closing.value
        recorder.request(.max(1))
        let end = try await recorder.finished()
        #expect(end.closing == WebSocket.Closing(code: .normal, droppedMessageCount: 1) && end.messages.isEmpty)
    }

    @Test func dropsNoMessageBetweenTwoOthersWhileItCloses() async throws {
        let recorder = record(demand: .max(3))
        let connection = try await server.connection(1)
        let socket = try await recorder.socket()
        let closing = Task { try await socket.close() }
        try await connection.waitForFrames("a close frame") { $0.last?.first == 0x88 }
        for number in 0...3 { connection.send(PeerFrames.text("m\(number)")) }
        try await recorder.recording.wait(for: "two messages") { $0.messages.count == 2 }
        recorder.request(.max(10))
        for number in 4...9 { connection.send(PeerFrames.text("m\(number)")) }
        connection.send(PeerFrames.close(1000))
        connection.end()
        try await closing.value
        let end = try await recorder.finished()
        // Two, unless more were requested before the third had been read.
        let count = end.messages.count
        #expect(count >= 2 && end.messages == (0..<count).map { .text("m\($0)") })
        #expect(end.closing?.droppedMessageCount == 10 - count)
    }

    @Test func refusesToSendAfterFailure() async throws {
        let recorder = record(demand: .max(1))
        let connection = try await server.connection(1)
        let socket = try await recorder.socket()
        connection.send(PeerFrames.text("not requested"))
        connection.end()
        let error = await #expect(throws: HTTPError.self) { try await socket.send("too late") }
        #expect(error?.name == "web-socket.lost")
        recorder.cancel()
    }

    @Test func endsWithoutThePeersClose() async throws {
        let recorder = record()
        let connection = try await server.connection(1)
        let socket = try await recorder.socket()
        let closing = Task(executorPreference: scheduler) { try await socket.close() }
        await scheduler.settle()
        try await connection.waitForFrames("a close frame") { $0.last?.first == 0x88 }
        await scheduler.settle(advancingBy: .seconds(10))
        let end = try await recorder.finished()
        #expect(end.failure == nil && end.closing == WebSocket.Closing(code: .noClose, isClean: false))
        try await closing.value
    }

    @Test func waitsForAnswerToCloseFrameBehindMessages() async throws {
        let recorder = record()
        let connection = try await server.connection(1)
        let socket = try await recorder.socket()
        connection.stopTaking()
        let sending = Task(executorPreference: scheduler) { try await socket.send("last words") }
        await scheduler.settle(advancingBy: .seconds(1))
        let closing = Task(executorPreference: scheduler) { try await socket.close() }
        await scheduler.settle(advancingBy: .seconds(9))
        connection.goOnTaking()
        try await connection.waitForFrames("a close frame") { $0.last?.first == 0x88 }
        await scheduler.settle(advancingBy: .seconds(9))
        connection.send(PeerFrames.close(1000))
        connection.end()
        #expect(try await recorder.finished().closing == WebSocket.Closing(code: .normal))
        try await sending.value
        try await closing.value
    }

    @Test(arguments: [1004, 1005, 1006, 1015, 2999, 5000] as [UInt16])
    func refusesReservedCodes(code: UInt16) async throws {
        let recorder = record()
        _ = try await server.connection(1)
        let socket = try await recorder.socket()
        let error = await #expect(throws: HTTPError.self) {
            try await socket.close(code: WebSocketCloseCode(rawValue: code))
        }
        #expect(error?.name == "web-socket.not-sendable")
        recorder.cancel()
    }

    @Test func closesOnShutdown() async throws {
        let client = server.client(scheduler)
        let recorder = SocketRecorder(of: client.webSocket(for: HTTPRequest(.get, "/chat")))
        let connection = try await server.connection(1)
        _ = try await recorder.socket()
        let shutdown = Task { await client.shutdown() }
        let frames = try await connection.waitForFrames("a close frame") { !$0.isEmpty }
        #expect(frames == [ClientFrame(first: 0x88, payload: Data([3, 233]))])
        connection.send(PeerFrames.close(1001))
        connection.end()
        #expect(try await recorder.finished().closing?.code == .goingAway)
        await shutdown.value
    }

    @Test func finishesOnShutdownWithoutDemand() async throws {
        let client = server.client(scheduler)
        let recorder = SocketRecorder(of: client.webSocket(for: HTTPRequest(.get, "/chat")), demand: .max(1))
        let connection = try await server.connection(1)
        _ = try await recorder.socket()
        let shutdown = Task { await client.shutdown() }
        try await connection.waitForFrames("a close frame") { !$0.isEmpty }
        connection.send(PeerFrames.close(1001))
        connection.end()
        let end = try await recorder.finished()
        #expect(end.closing == nil && end.failure == nil)
        await shutdown.value
    }

    @Test func endsMessagesAfterUnansweredShutdown() async throws {
        let client = server.client(scheduler)
        let reading = Task(executorPreference: scheduler) {
            for try await _ in client.webSocket(for: HTTPRequest(.get, "/chat")).messages {}
        }
        let connection = try await server.connection(1)
        connection.send(PeerFrames.ping())
        try await connection.waitForFrames("a pong") { !$0.isEmpty }
        let shutdown = Task(executorPreference: scheduler) { await client.shutdown() }
        await scheduler.settle()
        try await connection.waitForFrames("a close frame") { $0.last?.first == 0x88 }
        await scheduler.settle(advancingBy: .seconds(10))
        try await reading.value
        await shutdown.value
    }

    // MARK: Failures

    @Test(arguments: [
        (PeerFrames.frame(0x83), "web-socket.protocol-error", 1002),
        (PeerFrames.frame(0x81, [0xFF]), "web-socket.invalid-text", 1007),
        (Data([0x82, 127, 0, 0, 0, 0, 1, 0, 0, 1]), "web-socket.message-too-large", 1009),
    ])
    func failsOnProtocolViolation(example: (Data, String, Int)) async throws {
        let recorder = record()
        let connection = try await server.connection(1)
        connection.send(example.0)
        let frames = try await connection.waitForFrames("a close frame") { !$0.isEmpty }
        #expect(frames.first?.payload == Data([UInt8(example.2 >> 8), UInt8(example.2 & 0xFF)]))
        connection.end()
        #expect(try await recorder.finished().failure?.name == example.1)
    }

    @Test func failsWithoutCloseFrame() async throws {
        let recorder = record()
        let connection = try await server.connection(1)
        connection.send(PeerFrames.text("one"))
        connection.end()
        let end = try await recorder.finished()
        #expect(end.failure?.name == "web-socket.lost" && end.messages == ["one"])
    }

    @Test func failsWithConnection() async throws {
        let recorder = record()
        let connection = try await server.connection(1)
        _ = try await recorder.socket()
        connection.fail(.transfer(.receiveFailed))
        #expect(try await recorder.finished().failure?.name == "transfer.receive-failed")
    }

    @Test func failsWithOtherResponseAndItsContent() async throws {
        let server = SocketServer { request in
            HTTPResponse(status: .forbidden, headers: [:], body: Data("no entry".utf8), url: request.url)
        }
        let recorder = record(server)
        guard case .failure(let error) = try await recorder.finished().completion else {
            Issue.record("it was opened")
            return
        }
        #expect(error.status == .forbidden && error.response?.body == Data("no entry".utf8))
    }

    @Test(arguments: ["ws://h/moved", "wss://other/moved", "https://other/moved", "/moved"])
    func followsRedirects(location: String) async throws {
        let server = SocketServer { Self.redirecting($0, to: location) }
        let recorder = record(server)
        let connection = try await server.connection(2)
        #expect(connection.request.url.path == "/moved")
        connection.send(PeerFrames.text("one"))
        try await recorder.recording.wait(for: "a message") { $0.messages == ["one"] }
        recorder.cancel()
    }

    @Test func refusesRedirectToClearText() async throws {
        let server = SocketServer { Self.redirecting($0, to: "ws://h/moved") }
        let client = server.client(scheduler)
        let recorder = SocketRecorder(of: client.webSocket(for: HTTPRequest(.get, "wss://h/chat")))
        #expect(try await recorder.finished().failure?.name == "redirect.insecure")
        #expect(server.connections.value.count == 1)
    }

    private static func redirecting(_ request: TransportRequest, to location: String) -> HTTPResponse<Data> {
        guard request.url.path == "/chat" else { return SocketServer.acceptance(request) }
        return HTTPResponse(
            status: .temporaryRedirect, headers: ["Location": location], body: Data(), url: request.url)
    }

    @Test(
        arguments: [
            (HTTPRequest(.post, "ws://h/"), []), (HTTPRequest(.get, "ws://h/", body: .text("content")), []),
            (HTTPRequest(.get, "ws://h/", headers: ["Sec-WebSocket-Protocol": "chat"]), []),
            (HTTPRequest(.get, "ws://h/", headers: ["connection": "close"]), []),
            (HTTPRequest(.get, "ws://h/"), ["a b"]), (HTTPRequest(.get, "ws://h/"), ["chat", "chat"]),
        ] as [(HTTPRequest, [String])])
    func refusesUnsuitableRequests(request: HTTPRequest, subprotocols: [String]) async throws {
        let events = server.client(scheduler).webSocket(
            for: request, options: WebSocketOptions(subprotocols: subprotocols))
        #expect(try await SocketRecorder(of: events).finished().failure?.name == "invalid-request.web-socket")
        #expect(server.connections.value.isEmpty)
    }

    @Test(arguments: ["ws://h/chat", "wss://h/chat?token=a"]) func namesTheURLAsItWasGiven(url: String) async throws {
        let server = SocketServer { SocketServer.acceptance($0, ["Sec-WebSocket-Accept": "c29tZXRoaW5nIGVsc2U="]) }
        let client = server.client(scheduler)
        let shown = Redaction().redacting(url: url)
        let request = HTTPRequest(.get, url)
        let recorder = SocketRecorder(of: client.webSocket(for: request))
        guard case .failure(let error) = try await recorder.finished().completion else {
            Issue.record("it was opened")
            return
        }
        #expect(error.request.url == shown && error.description.contains("GET \(shown)"))
        let options = FeedOptions(reconnection: .never)
        let feed = FeedRecorder<WebSocket.Message>()
        client.webSocketFeed(for: request, options: options).events.subscribe(feed)
        #expect(try await feed.finished().failure?.request.url == shown)
        let invalid = SocketRecorder(of: client.webSocket(for: HTTPRequest(.post, url)))
        guard case .failure(let error) = try await invalid.finished().completion else { return }
        #expect(error.request.url == shown)
    }

    @Test func refusesAcceptanceOfAnotherRequest() async throws {
        let server = SocketServer { SocketServer.acceptance($0, ["Sec-WebSocket-Accept": "c29tZXRoaW5nIGVsc2U="]) }
        #expect(try await record(server).finished().failure?.name == "web-socket.not-accepted")
    }

    // MARK: Sending

    @Test func returnsWhenMessageIsWritten() async throws {
        let recorder = record()
        let connection = try await server.connection(1)
        let socket = try await recorder.socket()
        connection.stopTaking()
        let isSent = Watched(false)
        let sending = Task {
            try await socket.send("patience")
            isSent.update { $0 = true }
        }
        #expect(try await isSent.waitForStandstill() == false)
        connection.goOnTaking()
        try await sending.value
        #expect(connection.frames == [.text("patience")])
        recorder.cancel()
    }

    @Test func withdrawsCancelledMessage() async throws {
        let recorder = record()
        let connection = try await server.connection(1)
        let socket = try await recorder.socket()
        connection.stopTaking()
        let first = Task { try await socket.send("first") }
        let second = Task { try await socket.send("second") }
        second.cancel()
        let error = await #expect(throws: HTTPError.self) { try await second.value }
        #expect(error?.isCancellation == true)
        connection.goOnTaking()
        try await first.value
        #expect(connection.frames == [.text("first")])
        recorder.cancel()
    }

    @Test func abortsConnectionAndSendsOnCancellation() async throws {
        let recorder = record()
        let connection = try await server.connection(1)
        let socket = try await recorder.socket()
        connection.stopTaking()
        let sending = Task { try await socket.send("never") }
        _ = try await recorder.recording.waitForStandstill(lasting: .milliseconds(50))
        recorder.cancel()
        let error = await #expect(throws: HTTPError.self) { try await sending.value }
        #expect(error?.isCancellation == true || error?.name == "web-socket.lost")
        try await connection.isAborted.wait(for: "an abort") { $0 }
        #expect(recorder.recording.value.completion == nil)
    }

    @Test(arguments: [(10, 16), (5000, 16), (100_000, 3)])
    func requestsFromPublisherAsMessagesAreWritten(size: Int, waitingCount: Int) async throws {
        let recorder = record()
        let connection = try await server.connection(1)
        let socket = try await recorder.socket()
        let requested = Watched(0)
        let numbers = (1...100).publisher.handleEvents(receiveOutput: { number in requested.update { $0 = number } })
        connection.stopTaking()
        let places = (1000...1000 + size / 5).map { "\($0) " }.joined()
        let texts = (1...100).map { String("\($0): \(places)".prefix(size)) }
        let sending = Task {
            try await socket.send(contentsOf: numbers.map { WebSocket.Message.text(texts[$0 - 1]) })
        }
        #expect(try await requested.waitForStandstill() == waitingCount)
        connection.goOnTaking()
        try await sending.value
        let content = Data(connection.frames.map(\.payload).joined())
        let isExact = String(decoding: content, as: UTF8.self) == texts.joined()
        #expect(isExact)
        recorder.cancel()
    }
}
