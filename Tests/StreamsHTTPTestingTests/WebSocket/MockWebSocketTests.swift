import StreamsHTTP
import StreamsHTTPTesting
import StreamsLoopback
import StreamsTesting
import Testing

/// WebSockets to a scripted peer, in virtual time.
@Suite struct MockWebSocketTests {
    private let scheduler = TestScheduler()
    private let mock: MockTransport

    init() {
        mock = MockTransport(scheduler: scheduler)
    }

    private func client(_ transport: (any HTTPTransport)? = nil) -> HTTPClient {
        let configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"))
        return HTTPClient(configuration: configuration, transport: transport ?? mock, scheduler: scheduler)
    }

    /// Opens a WebSocket, and lets its peer act until it waits.
    private func record(
        _ url: String = "/", on transport: (any HTTPTransport)? = nil, demand: Subscribers.Demand = .unlimited,
        _ options: WebSocketOptions = WebSocketOptions()
    ) async -> SocketRecorder {
        let recorder = SocketRecorder(
            of: client(transport).webSocket(for: HTTPRequest(.get, url), options: options), demand: demand)
        await scheduler.settle()
        return recorder
    }

    @Test func sendsMessagesInOrder() async throws {
        mock.on(.get, "/", .webSocket(.send("one"), .send(.binary(Data([2]))), .close(.goingAway, reason: "bye")))
        let recording = await record().recording.value
        #expect(recording.messages == ["one", .binary(Data([2]))])
        #expect(recording.closing == WebSocket.Closing(code: .goingAway, reason: "bye"))
        #expect(recording.outline == ["open", "message", "message", "closed 1001"])
        #expect(mock.requests.map(\.closing) == [WebSocket.Closing(code: .goingAway)])
    }

    @Test func waitsInVirtualTime() async throws {
        mock.on(.get, "/", .webSocket(.wait(.seconds(5)), .send("late"), .wait(.seconds(5)), .close()))
        let recorder = await record()
        await scheduler.settle(advancingBy: .milliseconds(4999))
        #expect(recorder.recording.value.outline == ["open"])
        await scheduler.settle(advancingBy: .milliseconds(1))
        #expect(recorder.recording.value.messages == ["late"])
        await scheduler.settle(advancingBy: .seconds(5))
        #expect(recorder.recording.value.closing?.code == .normal && scheduler.pendingCount == 0)
    }

    @Test func answersMessages() async throws {
        mock.on(
            .get, "/",
            .webSocket(.receive, .answer { message in [.send("re:"), .send(message)] }, .wait(.seconds(1)), .echo))
        let recorder = await record()
        let socket = try await recorder.socket()
        try await socket.send("hello")
        await scheduler.settle()
        #expect(recorder.recording.value.messages == [])
        try await socket.send("subscribe")
        await scheduler.settle()
        #expect(recorder.recording.value.messages == ["re:", "subscribe"])
        let large = WebSocket.Message.binary(Data(GeneratedBytes.bytes(0..<200_000)))
        try await socket.send(large)
        try await socket.send("last")
        await scheduler.settle(advancingBy: .seconds(1))
        let isReceived = recorder.recording.value.messages == ["re:", "subscribe", large, "last"]
        let isSent = mock.requests.first?.messages == ["hello", "subscribe", large, "last"]
        #expect(isReceived && isSent)
        recorder.cancel()
    }

    @Test func answersMessagesBeforeCloseFrame() async throws {
        mock.on(.get, "/", .webSocket(.echo))
        let recorder = await record()
        let socket = try await recorder.socket()
        try await socket.send("one")
        try await socket.send("two")
        let closing = Task(executorPreference: scheduler) {
            try await socket.close(code: WebSocketCloseCode(rawValue: 4000), reason: "done")
        }
        await scheduler.settle()
        try await closing.value
        let end = recorder.recording.value
        #expect(end.messages == ["one", "two"] && end.closing?.code.rawValue == 4000 && end.failure == nil)
        #expect(mock.requests.first?.closing == WebSocket.Closing(code: .init(rawValue: 4000), reason: "done"))
    }

    @Test func answersPings() async throws {
        mock.on(.get, "/", .webSocket(.ping))
        let recorder = await record()
        await scheduler.settle(advancingBy: .seconds(3600))
        #expect(recorder.recording.value.outline == ["open"] && recorder.recording.value.completion == nil)
        recorder.cancel()
        #expect(scheduler.pendingCount == 0)
    }

    @Test func timesOutOnSilentPeer() async throws {
        mock.on(.get, "/", .webSocket(.stopAnswering))
        let recorder = await record()
        await scheduler.settle(advancingBy: .seconds(49))
        #expect(recorder.recording.value.completion == nil)
        await scheduler.settle(advancingBy: .seconds(1))
        #expect(recorder.recording.value.failure?.name == "timeout.pong")
    }

    @Test func leavesCloseFrameUnanswered() async throws {
        mock.on(.get, "/", .webSocket(.stopAnswering))
        let recorder = await record()
        let socket = try await recorder.socket()
        let closing = Task(executorPreference: scheduler) { try await socket.close() }
        await scheduler.settle()
        #expect(mock.requests.first?.closing?.code == .normal)
        await scheduler.settle(advancingBy: .seconds(10))
        try await closing.value
        #expect(recorder.recording.value.closing == WebSocket.Closing(code: .noClose, isClean: false))
    }

    @Test func dropsConnection() async throws {
        mock.on(.get, "/", .webSocket(.send("one"), .drop), .webSocket(.fail(.transfer(.receiveFailed))))
        let first = await record().recording.value
        #expect(first.messages == ["one"] && first.failure?.name == "web-socket.lost")
        #expect(await record().recording.value.failure?.name == "transfer.receive-failed")
    }

    @Test(arguments: [
        (Data([0x83, 0]), "web-socket.protocol-error"), (Data([0x81, 1, 0xFF]), "web-socket.invalid-text"),
    ])
    func sendsBrokenFrames(bytes: Data, failure: String) async throws {
        mock.on(.get, "/", .webSocket(.bytes(bytes)))
        #expect(await record().recording.value.failure?.name == failure)
        #expect(mock.requests.first?.closing != nil)
    }

    @Test func refusesByOtherResponse() async throws {
        mock.on(.get, "/") { _ in .text("no entry", status: .forbidden) }
        let recording = await record().recording.value
        guard case .failure(let error) = recording.completion else {
            Issue.record("\(recording.outline)")
            return
        }
        #expect(error.status == .forbidden && error.response?.body == Data("no entry".utf8))
    }

    @Test func refusesRequestWithoutUpgrade() async throws {
        mock.on(.get, "/", .webSocket(.echo))
        let recorder = EventRecorder(of: client().events(for: HTTPRequest(.get, "/")))
        await scheduler.settle()
        #expect(recorder.recording.value.failure?.status == .upgradeRequired)
    }

    @Test func choosesSubprotocol() async throws {
        mock.on(.get, "/", .webSocket(subprotocol: "chat"))
        let recorder = await record("/", WebSocketOptions(subprotocols: ["news", "chat"]))
        #expect(try await recorder.socket().subprotocol == "chat")
        recorder.cancel()
        #expect(await record().recording.value.failure?.name == "web-socket.not-accepted")
    }

    @Test(arguments: ["wss://other.example.com/prices", "https://other.example.com/prices"])
    func matchesEitherScheme(pattern: String) async throws {
        mock.on(.get, pattern, .webSocket(.close()))
        #expect(await record("wss://other.example.com/prices").recording.value.closing?.code == .normal)
    }

    @Test func obeysDemand() async throws {
        let parts = (0..<100).map { number in
            WebSocket.Message.binary(Data(GeneratedBytes.bytes(number * 100_000..<(number + 1) * 100_000)))
        }
        let hasSentAll = Watched(false)
        let end = MockResponse.WebSocketStep.answer { _ in
            hasSentAll.update { $0 = true }
            return [.close()]
        }
        mock.on(.get, "/") { _ in .webSocket(.answer { _ in parts.map(MockResponse.WebSocketStep.send) + [end] }) }
        let recorder = await record(demand: .max(2))
        let socket = try await recorder.socket()
        try await socket.send("go")
        try await socket.send("end")
        await scheduler.settle()
        #expect(recorder.recording.value.messages.count == 1 && !hasSentAll.value)
        recorder.request(.unlimited)
        await scheduler.settle()
        let isExact = recorder.recording.value.messages == parts
        #expect(isExact && hasSentAll.value)
        #expect(recorder.recording.value.closing?.code == .normal)
    }

    @Test func delaysOrFailsResponse() async throws {
        mock.on(
            .get, "/", .webSocket(.close()).delayed(by: .seconds(3)),
            .webSocket(.close()).failing(.connection(.refused), at: .connecting))
        let recorder = await record()
        #expect(recorder.recording.value.outline == [])
        await scheduler.settle(advancingBy: .seconds(3))
        #expect(recorder.recording.value.closing?.code == .normal)
        #expect(await record().recording.value.failure?.name == "connection.refused")
    }

    @Test func opensNextConnectionOfFeed() async throws {
        mock.on(
            .get, "/", .webSocket(.receive, .send("1"), .send("2"), .drop), MockResponse(.serviceUnavailable),
            .webSocket(.receive, .send("3"), .close(.policyViolation)))
        let cursor = Feed<WebSocket.Message>.Cursor(
            position: { if case .text(let text) = $0 { text } else { nil } }, resume: { request, _ in request })
        let recorder = FeedRecorder<WebSocket.Message>()
        client().webSocketFeed(for: HTTPRequest(.get, "/"), cursor: cursor) { [.text("after \($0 ?? "0")")] }
            .events.subscribe(recorder)
        for _ in 0..<10 { await scheduler.settle(advancingBy: .seconds(60)) }
        let recording = try await recorder.finished()
        #expect(recording.elements == ["1", "2", "3"] && recording.failure?.name == "web-socket.closed")
        #expect(mock.requests.map(\.messages) == [["after 0"], [], ["after 2"]])
    }

    // MARK: Other transports

    @Test func injectsFaults() async throws {
        mock.on(.get, "/", .webSocket(.send("one"), .send("two"), .echo))
        let transport = FaultInjectingTransport(
            wrapping: mock, scheduler: scheduler, InjectedFault(.failure(.connection(.refused)), .numbers([1])),
            InjectedFault(.response(.serviceUnavailable), .numbers([2])),
            InjectedFault(.delay(.seconds(3)), .numbers([3])), InjectedFault(.cut(after: 7), .numbers([4])),
            InjectedFault(.cut(after: 5, .transfer(.receiveFailed)), .numbers([5])))
        #expect(await record(on: transport).recording.value.failure?.name == "connection.refused")
        #expect(await record(on: transport).recording.value.failure?.name == "status")
        let delayed = await record(on: transport)
        #expect(delayed.recording.value.outline == [])
        await scheduler.settle(advancingBy: .seconds(3))
        #expect(delayed.recording.value.messages == ["one", "two"])
        try await delayed.socket().send("three")
        await scheduler.settle()
        #expect(delayed.recording.value.messages == ["one", "two", "three"])
        delayed.cancel()
        let cut = await record(on: transport).recording.value
        #expect(cut.messages == ["one"] && cut.failure?.name == "web-socket.lost")
        let broken = await record(on: transport).recording.value
        #expect(broken.messages == ["one"] && broken.failure?.name == "transfer.receive-failed")
    }

    @Test func passesThroughRecordingTransport() async throws {
        mock.on(.get, "/", .webSocket(.send("one"), .close()))
        let recording = RecordingTransport(wrapping: mock)
        let end = await record(on: recording).recording.value
        #expect(end.messages == ["one"] && end.closing?.code == .normal)
        #expect(recording.session.exchanges.isEmpty)
    }

    @Test(arguments: [ReplayTransport.Matching.methodAndURL, .methodURLAndBody])
    func failsInReplayTransport(matching: ReplayTransport.Matching) async throws {
        mock.on(.get, "/", .text("not a WebSocket"))
        let recording = RecordingTransport(wrapping: mock)
        client(recording).events(for: HTTPRequest(.get, "/")).subscribe(EventRecorder<Void>())
        await scheduler.settle()
        let replay = ReplayTransport(from: recording.session, matching: matching, scheduler: scheduler)
        guard case .failure(let error) = await record(on: replay).recording.value.completion,
            case .thrown(let cause, by: .transport) = error.reason
        else {
            Issue.record("no failure")
            return
        }
        #expect((cause as? MissingRecording)?.request == "GET https://api.example.com/")
        #expect(replay.remaining.count == 1)
    }
}
