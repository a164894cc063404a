import StreamsHTTP
import StreamsLoopback
import Testing

/// Streams and connections of HTTP/2 that end without a response.
@Suite(.reservesDescriptors) struct StreamFailureTests {
    private typealias Code = LoopbackServer.HTTP2ErrorCode

    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer(limits: .init(recording: 1 << 20))
        server.serveNumberedBodies()
        client = server.http2Client()
    }

    private func recording(
        _ method: HTTPMethod = .get, body: HTTPBody = .empty
    ) async throws -> EventRecording<Void> {
        try await EventRecorder.record(client.events(for: HTTPRequest(method, "/", body: body)))
    }

    /// Expects that the first connection is used still.
    private func expectConnectionToContinue(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await client.expectNumberedBodies(0..<3, sourceLocation: sourceLocation)
        #expect(server.acceptedConnections == 1 && server.journal.rejections == [], sourceLocation: sourceLocation)
    }

    // MARK: Reset streams

    private static let resets: [(Code, String)] = [
        (.noError, "transfer.receive-failed"), (.protocolError, "transfer.protocol-error"),
        (.internalError, "transfer.receive-failed"), (.flowControlError, "transfer.protocol-error"),
        (.settingsTimeout, "transfer.receive-failed"), (.streamClosed, "transfer.protocol-error"),
        (.frameSizeError, "transfer.protocol-error"), (.cancel, "transfer.receive-failed"),
        (.compressionError, "transfer.protocol-error"), (.connectError, "transfer.receive-failed"),
        (.enhanceYourCalm, "transfer.receive-failed"), (.inadequateSecurity, "transfer.receive-failed"),
        (Code(rawValue: 0xDEAD_BEEF), "transfer.receive-failed"),
    ]

    @Test(arguments: resets)
    func aStreamIsResetBeforeTheHead(code: LoopbackServer.HTTP2ErrorCode, reason: String) async throws {
        server.on("GET", "/", Reply.text("hello").failing(with: .resetStream(code, at: .beforeHead)))
        let recording = try await recording()
        #expect(recording.failure?.reason.outline == reason && recording.outline == ["attempt 1"])
        #expect(recording.http2ErrorCode == Int(code.rawValue))
        try await expectConnectionToContinue()
    }

    /// Those that refuse a request come too late.
    private static let resetsInBody: [(Code, String)] =
        (resets + [(.refusedStream, "transfer.receive-failed"), (.http11Required, "transfer.receive-failed")]).map {
            ($0, $1 == "transfer.receive-failed" ? "transfer.body-ended-early" : $1)
        }

    @Test(arguments: resetsInBody)
    func aStreamIsResetInTheBody(code: LoopbackServer.HTTP2ErrorCode, reason: String) async throws {
        server.on("GET", "/", Reply.generated(100_000).failing(with: .resetStream(code, at: .inBody(after: 40_000))))
        let recording = try await recording()
        #expect(recording.failure?.reason.outline == reason && recording.outline == ["attempt 1", "head 200"])
        #expect(recording.http2ErrorCode == Int(code.rawValue))
        #expect(recording.body.count == 40_000 && GeneratedBytes.matches(recording.body, at: 0))
        try await expectConnectionToContinue()
    }

    @Test func aResetBodyIsRetriedByThePolicy() async throws {
        let broken = Reply.generated(1000).failing(with: .resetStream(.internalError, at: .inBody(after: 0)))
        server.on("GET", "/", broken, .generated(1000))
        let request = HTTPRequest(.get, "/").settingOptions {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: .constant(.zero))
        }
        let recording = try await EventRecorder.record(client.events(for: request))
        #expect(
            recording.outline == ["attempt 1", "head 200", "retrying", "attempt 2", "head 200", "response 200"])
        #expect(recording.body == Data(GeneratedBytes.bytes(0..<1000)))
        try await expectConnectionToContinue()
    }

    @Test func aResetAfterTheResponseIsNone() async throws {
        let frame = LoopbackServer.HTTP2Frame.resetStream(.internalError)
        server.on("GET", "/", Reply.text("hello").failing(with: .frames([frame], at: .afterReply)))
        let recording = try await recording()
        #expect(recording.body == Data("hello".utf8) && recording.failure == nil)
        try await expectConnectionToContinue()
    }

    // MARK: Refused requests

    private static let contents = [0, 100, 200_000]

    private func body(_ size: Int) -> HTTPBody {
        size > 0 ? .data(Data(GeneratedBytes.bytes(0..<size))) : .empty
    }

    @Test(arguments: contents) func aRefusedRequestIsSentAgain(size: Int) async throws {
        let refusal = Reply().failing(with: .resetStream(.refusedStream, at: .beforeHead))
        server.on("POST", "/", refusal, .text("done"))
        let recording = try await recording(.post, body: body(size))
        #expect(recording.outline == ["attempt 1", "head 200", "response 200"])
        #expect(recording.body == Data("done".utf8))
        let last = try #require(server.requests.last)
        let isExact = last.body == GeneratedBytes.bytes(0..<size) && last.isBodyComplete
        #expect(isExact && server.requests.count == 2 && server.journal.rejections == [])
    }

    /// The refusal comes while the body is under way.
    @Test func aRequestThatIsRefusedInItsBodyIsSentWhole() async throws {
        let size = 5 << 20
        let server = try LoopbackServer(limits: .init(recording: 16 << 20))
        let refusal = Reply().failing(with: .resetStream(.refusedStream, at: .beforeHead))
        server.on("POST", "/", intake: .first(bytes: 100_000)) { [weak server] _ in
            server?.on("POST", "/", .text("done"))
            return refusal
        }
        let request = HTTPRequest(.post, "/", body: body(size))
        let recording = try await EventRecorder.record(server.http2Client().events(for: request))
        #expect(recording.failure == nil && recording.body == Data("done".utf8))
        let last = try #require(server.requests.last)
        let isExact = last.body == GeneratedBytes.bytes(0..<size) && last.isBodyComplete
        #expect(isExact && server.journal.rejections == [])
    }

    @Test(arguments: [HTTPMethod.get, .post]) func aRequestThatIsRefusedAgainAndAgainFails(method: HTTPMethod)
        async throws
    {
        server.on(method.rawValue, "/", Reply().failing(with: .resetStream(.refusedStream, at: .beforeHead)))
        let recording = try await recording(method, body: method == .post ? body(1000) : .empty)
        #expect(recording.failure?.reason.outline == "transfer.request-refused" && recording.http2ErrorCode == 7)
        #expect(recording.outline == ["attempt 1"] && server.requests.count == 4)
    }

    @Test func aRefusedBodyThatCannotBeSentAgainFails() async throws {
        let refusal = Reply().failing(with: .resetStream(.refusedStream, at: .beforeHead))
        server.on("POST", "/", intake: .first(bytes: 10), refusal, .text("done"))
        let chunks = ChunkSource(count: 3) { Data(GeneratedBytes.bytes($0 * 10..<($0 + 1) * 10)) }
        let recording = try await recording(.post, body: .stream(chunks))
        #expect(recording.failure?.reason.outline == "transfer.request-refused")
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [HTTPMethod.get, .post]) func aRequestThatRequiresHTTP1IsSentByIt(method: HTTPMethod) async throws
    {
        let refusal = Reply().failing(with: .resetStream(.http11Required, at: .beforeHead))
        server.on(method.rawValue, "/", refusal, .text("done"))
        let request = HTTPRequest(method, "/", body: method == .post ? body(1000) : .empty)
        for _ in 0..<2 {
            let response = try await client.response(for: request)
            #expect(response.version == .http11 && response.body == Data("done".utf8))
        }
        // The server's origin is remembered.
        #expect(server.requests.map(\.version) == ["HTTP/2", "HTTP/1.1", "HTTP/1.1"])
        #expect(server.requests.dropFirst().allSatisfy { $0.text == server.requests.last?.text })
    }

    // MARK: GOAWAY

    @Test(arguments: [HTTPMethod.get, .post], [LoopbackServer.HTTP2ErrorCode.noError, .enhanceYourCalm])
    func aRequestAboveTheLastOneIsSentElsewhere(method: HTTPMethod, code: LoopbackServer.HTTP2ErrorCode) async throws {
        let leaving = Reply().failing(with: .goAway(last: .previous, code, at: .beforeHead))
        server.on(method.rawValue, "/", leaving, .text("done"))
        let content = method == .post ? GeneratedBytes.bytes(0..<1000) : []
        let recording = try await recording(method, body: body(content.count))
        #expect(recording.outline == ["attempt 1", "head 200", "response 200"])
        #expect(recording.body == Data("done".utf8))
        #expect(server.requests.map(\.connection) == [1, 2] && server.requests.last?.body == content)
    }

    /// The streams below the last one go on, and further requests use another connection.
    @Test(arguments: [LoopbackServer.HTTP2Frame.Stream.this, .largest])
    func aConnectionThatEndsServesItsStreams(last: LoopbackServer.HTTP2Frame.Stream) async throws {
        let gate = Gate()
        server.on("GET", "/held", Reply(body: .chunked("a", .hold(gate), "b")))
        server.on("GET", "/leaving", Reply.text("last").failing(with: .goAway(last: last, at: .beforeHead)))
        let held = (0..<3).map { _ in client.subscribe(HTTPRequest(.get, "/held")) }
        for recorder in held { try await recorder.wait(for: "a chunk") { $0.chunkCount == 1 } }
        let response = try await client.response(for: HTTPRequest(.get, "/leaving"))
        #expect(response.body == Data("last".utf8))
        try await client.expectNumberedBodies(0..<3)
        gate.open()
        for recorder in held { #expect(try await recorder.finished().body == Data("ab".utf8)) }
        #expect(server.requests.map(\.connection) == [1, 1, 1, 1, 2, 2, 2])
        // The client closes the connection after the last stream.
        try await server.wait { $0.http2Connections.first?.isOpen == false }
        #expect(server.http2Connections.first?.ignoredStreams == [] && server.journal.rejections == [])
    }

    @Test func anIdleConnectionThatEndsIsClosed() async throws {
        server.on("GET", "/", Reply.text("hello").failing(with: .goAway(at: .afterReply)))
        for _ in 0..<2 { #expect(try await recording().body == Data("hello".utf8)) }
        try await server.wait { $0.openConnections == 0 }
        #expect(server.acceptedConnections <= 2)
    }

    /// A server announces the end with the largest number first (RFC 9113, section 6.8).
    @Test func theLastStreamMayFall() async throws {
        let gate = Gate()
        server.on("GET", "/held", Reply.text("held").held(by: gate))
        let leaving = Reply.text("last").failing(with: .goAway(last: .largest, at: .beforeHead))
            .failing(with: .goAway(last: .this, at: .inBody(after: 2)))
        server.on("GET", "/leaving", leaving)
        let first = client.subscribe(HTTPRequest(.get, "/held"))
        try await server.waitForRequests(1)
        #expect(try await client.response(for: HTTPRequest(.get, "/leaving")).body == Data("last".utf8))
        gate.open()
        #expect(try await first.finished().body == Data("held".utf8))
        try await client.expectNumberedBodies(0..<2)
        #expect(server.requests.map(\.connection) == [1, 1, 2, 2])
    }

    /// A head shows that the server has processed the request, whatever it says.
    @Test(arguments: [HTTPMethod.get, .post])
    func aResponseAboveTheLastOneIsNotSentAgain(method: HTTPMethod) async throws {
        let leaving = Reply.generated(1000).failing(with: .goAway(last: .previous, .noError, at: .inBody(after: 500)))
        server.on(method.rawValue, "/", leaving)
        let recording = try await recording(method)
        #expect(recording.failure?.reason.outline == "transfer.body-ended-early" && recording.http2ErrorCode == 0)
        #expect(recording.outline == ["attempt 1", "head 200"] && server.requests.count == 1)
    }

    @Test(arguments: [LoopbackServer.HTTP2ErrorCode.noError, .enhanceYourCalm])
    func aRequestThatNoConnectionTakesTellsTheCode(code: LoopbackServer.HTTP2ErrorCode) async throws {
        server.on("GET", "/", Reply().failing(with: .goAway(last: .previous, code, at: .beforeHead)))
        let recording = try await recording()
        #expect(recording.failure?.reason.outline == "transfer.request-refused" && server.requests.count == 4)
        #expect(recording.failure?.underlying?.domain == "HTTP/2" && recording.http2ErrorCode == Int(code.rawValue))
    }

    /// The server has a reason to close the connection although a response has not come.
    @Test(arguments: [
        (Fault.Place.beforeHead, "transfer.empty-reply"), (.inBody(after: 500), "transfer.body-ended-early"),
    ])
    func aConnectionThatIsClosedTellsTheCode(place: Fault.Place, reason: String) async throws {
        let leaving = Reply.generated(1000).failing(with: .goAway(last: .this, .enhanceYourCalm, at: place))
        server.on("GET", "/", leaving.failing(with: .close(at: place)))
        let recording = try await recording()
        #expect(recording.failure?.reason.outline == reason)
        #expect(recording.failure?.underlying?.domain == "HTTP/2" && recording.http2ErrorCode == 11)
    }

    // MARK: Lost connections

    private static let losses: [Fault.HTTP2?] = [nil, .resetConnection(at: .beforeHead)]

    /// Streams whose body has begun end early. Of the others, those of idempotent requests are repeated once.
    @Test(.reservesDescriptors(80), arguments: losses)
    func aLostConnectionFailsItsStreams(loss: Fault.HTTP2?) async throws {
        let gate = Gate()
        server.on("GET", "/body", Reply(body: .chunked("begun", .hold(gate))))
        for method in ["GET", "PUT", "POST"] {
            server.on(method, "/head") { $0.connection == 1 ? Reply.text("late").held(by: gate) : .text("again") }
        }
        let broken = Reply.text("broken")
        server.on(
            "POST", "/loss", loss.map { broken.failing(with: $0) } ?? broken.failing(with: .close(at: .beforeHead)))
        try await client.expectNumberedBodies(0..<1)
        let bodies = (0..<4).map { _ in client.subscribe(HTTPRequest(.get, "/body")) }
        for recorder in bodies { try await recorder.wait(for: "a chunk") { $0.chunkCount == 1 } }
        let methods: [HTTPMethod] = [.get, .put, .put, .post, .post]
        let heads = methods.map { client.subscribe(HTTPRequest($0, "/head", body: body($0 == .get ? 0 : 1000))) }
        try await server.waitForRequests(1 + bodies.count + heads.count)
        let lost = try await EventRecorder.record(client.events(for: HTTPRequest(.post, "/loss")))
        #expect(lost.failure?.reason.outline == "transfer.reused-connection-lost")
        for recorder in bodies {
            let recording = try await recorder.finished()
            #expect(recording.failure?.reason.outline == "transfer.body-ended-early")
            #expect(recording.body == Data("begun".utf8))
        }
        for (method, recorder) in zip(methods, heads) {
            let recording = try await recorder.finished()
            if method == .post {
                #expect(recording.failure?.reason.outline == "transfer.reused-connection-lost")
            } else {
                #expect(recording.outline == ["attempt 1", "retrying", "attempt 2", "head 200", "response 200"])
                #expect(recording.body == Data("again".utf8))
            }
        }
        try await client.expectNumberedBodies(0..<3)
        #expect(server.acceptedConnections == 2)
    }

    @Test func aNewConnectionThatIsLostHasNoReply() async throws {
        server.on("GET", "/", Reply.text("hello").failing(with: .close(at: .beforeHead)))
        let recording = try await recording()
        #expect(recording.failure?.reason.outline == "transfer.empty-reply" && recording.outline == ["attempt 1"])
    }

    @Test func aConnectionThatIsLostAfterAResponseLeavesItWhole() async throws {
        server.on("GET", "/", Reply.generated(1 << 20).failing(with: .close(at: .afterReply)))
        let recorder = client.subscribe(HTTPRequest(.get, "/"), demand: .max(2))
        try await server.wait { $0.openConnections == 0 && $0.requests.first?.state.isEnd == true }
        recorder.request(.unlimited)
        let recording = try await recorder.finished()
        #expect(recording.failure == nil && recording.body.count == 1 << 20)
        #expect(GeneratedBytes.matches(recording.body, at: 0))
    }

    // MARK: Time

    @Test func aSilentStreamTimesOutAlone() async throws {
        server.on("GET", "/silent", Reply.generated(1000).failing(with: .stall(at: .inBody(after: 10))))
        server.on(
            "GET", "/busy",
            Reply.generated(60).failing(with: .drip(from: .inBody(after: 0), bytes: 1, every: .milliseconds(20))))
        let busy = client.subscribe(HTTPRequest(.get, "/busy"))
        try await busy.wait(for: "the head") { $0.head != nil }
        let request = HTTPRequest(.get, "/silent").settingOptions { $0.timeouts.idle = .milliseconds(300) }
        let recording = try await EventRecorder.record(client.events(for: request))
        #expect(recording.failure?.reason.outline == "timeout.idle")
        #expect(recording.body == Data(GeneratedBytes.bytes(0..<10)))
        #expect(try await server.waitForReset(of: 3) == .cancel)
        #expect(try await busy.finished().body == Data(GeneratedBytes.bytes(0..<60)))
        try await expectConnectionToContinue()
    }

    /// On a new connection, and on one that is used.
    @Test func aSilentStreamTimesOutBeforeTheHead() async throws {
        server.on("GET", "/silent", Reply.text("late").held(by: Gate()))
        let request = HTTPRequest(.get, "/silent").settingOptions { $0.timeouts.idle = .milliseconds(200) }
        for stream in [1, 3] {
            let start = ContinuousClock.now
            let recording = try await EventRecorder.record(client.events(for: request))
            #expect(recording.failure?.reason.outline == "timeout.idle" && recording.outline == ["attempt 1"])
            #expect(ContinuousClock.now - start < .seconds(20))
            #expect(try await server.waitForReset(of: stream) == .cancel)
        }
        try await expectConnectionToContinue()
    }

    @Test func informationalHeadsAreActivity() async throws {
        let reply = (0..<8).reduce(Reply.text("late")) { reply, _ in
            reply.delayed(by: .milliseconds(150)).preceded(by: 102)
        }
        server.on("GET", "/", reply)
        let request = HTTPRequest(.get, "/").settingOptions { $0.timeouts.idle = .milliseconds(600) }
        let recording = try await EventRecorder.record(client.events(for: request))
        #expect(recording.body == Data("late".utf8) && recording.failure == nil)
    }

    @Test func aSlowStreamIsEndedAlone() async throws {
        server.on(
            "GET", "/slow",
            Reply.generated(1 << 20).failing(with: .drip(from: .inBody(after: 10), bytes: 1, every: .milliseconds(10))))
        let request = HTTPRequest(.get, "/slow").settingOptions {
            $0.timeouts.minimumRate = .init(bytesPerSecond: 10_000, over: .milliseconds(200))
        }
        let recording = try await EventRecorder.record(client.events(for: request))
        #expect(recording.failure?.reason.outline == "timeout.minimum-rate")
        #expect(!recording.body.isEmpty && GeneratedBytes.matches(recording.body, at: 0))
        #expect(try await server.waitForReset() == .cancel)
        try await expectConnectionToContinue()
    }

    @Test func timeWithoutDemandIsNotThePeers() async throws {
        server.on("GET", "/", .generated(8 << 20))
        let request = HTTPRequest(.get, "/").settingOptions { $0.timeouts.idle = .milliseconds(200) }
        let recorder = client.subscribe(request, demand: .max(2))
        try await server.waitForBackPressure(lasting: .milliseconds(700))
        #expect(!recorder.recording.value.isComplete)
        recorder.request(.unlimited)
        let body = try await recorder.finished().body
        #expect(body.count == 8 << 20 && GeneratedBytes.matches(body, at: 0))
    }

    @Test func theWholeRequestHasALimit() async throws {
        server.on("GET", "/", Reply.text("late").held(by: Gate()))
        let request = HTTPRequest(.get, "/").settingOptions { $0.timeouts.total = .milliseconds(200) }
        let recording = try await EventRecorder.record(client.events(for: request))
        #expect(recording.failure?.reason.outline == "timeout.total")
        #expect(try await server.waitForReset() == .cancel)
        try await expectConnectionToContinue()
    }
}
