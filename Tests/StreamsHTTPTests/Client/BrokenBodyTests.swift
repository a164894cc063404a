import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// Bodies that break although nothing depends on them: those of errors and of redirects.
@Suite(.reservesDescriptors) struct BrokenBodyTests {
    private let server: LoopbackServer
    private let client: HTTPClient
    private let get = HTTPRequest(.get, "/")

    init() throws {
        server = try LoopbackServer()
        client = server.client()
    }

    /// A reply of 100 bytes that breaks after three.
    private static func cut(_ status: Int, with fault: Fault = .close(at: .inBody(after: 3))) -> Reply {
        Reply(status, body: .text(String(repeating: "gone", count: 25))).failing(with: fault)
    }

    private static let broken: [Reply] = [
        cut(404), cut(404, with: .reset(at: .inBody(after: 3))),
        Reply(404, body: .chunked("gon", "e")).failing(with: .malformedChunkSize(after: 3)),
        Reply(404, body: .chunked("gon", "e")).failing(with: .close(at: .inBody(after: 3))),
    ]

    // MARK: Errors

    @Test(arguments: broken) func theStatusDecidesOnABodyThatBreaks(reply: Reply) async throws {
        server.on("GET", "/", reply)
        let error = try await failure { () throws(HTTPError) in try await client.response(for: get) }
        #expect(error.reason.outline == "status(404)")
        #expect(["gon", ""].contains(String(decoding: error.response?.body ?? Data(), as: UTF8.self)))
        let recording = try await EventRecorder.record(client.events(for: get))
        #expect(recording.failure?.reason.outline == "status(404)")
        #expect(recording.outline == ["attempt 1", "head 404"] && recording.chunkCount == 0)
    }

    @Test func keepsThePartThatCameAndTheFailure() async throws {
        server.on("GET", "/", Self.cut(404))
        let error = try await failure { () throws(HTTPError) in try await client.response(for: get) }
        #expect(error.response?.body == Data("gon".utf8) && error.response?.headers["Content-Length"] == "100")
        #expect(error.underlying?.message == "the body ended early")
    }

    /// The limits are longer than a busy machine may keep the head waiting.
    @Test(arguments: [
        RequestOptions.with { $0.timeouts.idle = .seconds(2) },
        .with { $0.timeouts.minimumRate = .init(bytesPerSecond: 10_000, over: .seconds(2)) },
    ]) func theStatusDecidesOnABodyThatStalls(options: RequestOptions) async throws {
        server.on("GET", "/", Self.cut(404, with: .stall(at: .inBody(after: 3))))
        let request = get.settingOptions { $0 = options }
        let error = try await failure { () throws(HTTPError) in try await client.response(for: request) }
        #expect(error.reason.outline == "status(404)" && error.response?.body == Data("gon".utf8))
    }

    @Test func theStatusDecidesOnABodyWithoutEnd() async throws {
        server.on("GET", "/", Reply(404, body: .generated(1 << 30, framing: .untilClose)))
        let request = get.settingOptions { $0.maxErrorBodySize = 1000 }
        let error = try await failure { () throws(HTTPError) in try await client.response(for: request) }
        let body = try #require(error.response?.body)
        #expect(error.reason.outline == "status(404)")
        #expect(body.count == 1000 && GeneratedBytes.matches(body, at: 0))
    }

    @Test(arguments: ["gzip", "deflate", "compress", "gzip, gzip, gzip"])
    func theStatusDecidesOnABodyThatCannotBeDecoded(coding: String) async throws {
        server.on("GET", "/", Reply(404, headers: ["Content-Encoding": coding], body: .bytes([0xFF, 0xFF, 0xFF])))
        let error = try await failure { () throws(HTTPError) in try await client.response(for: get) }
        #expect(error.reason.outline == "status(404)" && error.response?.body.isEmpty == true)
    }

    @Test func keepsWhatWasDecodedBeforeTheFailure() async throws {
        var bytes = EncodedText.gzip.bytes
        bytes[bytes.count - 1] ^= 1
        for body in [bytes, Deflate.stored(bytes)] {
            let coding = body == bytes ? "gzip" : "gzip, deflate"
            server.on("GET", "/", Reply(404, headers: ["Content-Encoding": coding], body: .bytes(body)))
            let error = try await failure { () throws(HTTPError) in try await client.response(for: get) }
            #expect(error.reason.outline == "status(404)" && error.response?.body == EncodedText.text)
        }
    }

    @Test func thePolicyDecidesByTheStatus() async throws {
        server.on(
            "GET", "/", Self.cut(503), Reply(503, headers: ["Content-Encoding": "compress"], body: .text("busy")),
            .text("fine"))
        var options = RequestOptions.with { $0.retry = RetryPolicy(maxRetries: 2, backoff: Backoff(initial: .zero)) }
        let recording = try await EventRecorder.record(client.events(for: get.settingOptions { $0 = options }))
        #expect(recording.retries.map(\.error.reason.outline) == ["status(503)", "status(503)"])
        #expect(recording.body == Data("fine".utf8))
        server.on("GET", "/gone", Self.cut(404))
        options.retry.maxRetries = 5
        let request = HTTPRequest(.get, "/gone", options: options)
        let error = try await failure { () throws(HTTPError) in try await client.response(for: request) }
        #expect(error.attempt == 1 && error.status == .notFound)
    }

    /// The validation accepts the head, so that the body matters.
    @Test func anAcceptedResponseFailsIfItsBodyBreaks() async throws {
        server.on("GET", "/", Self.cut(503))
        for retries in [0, 1] {
            let request = get.settingOptions {
                $0.validation = .acceptAll
                $0.retry = RetryPolicy(maxRetries: retries, backoff: Backoff(initial: .zero))
            }
            let error = try await failure { () throws(HTTPError) in try await client.response(for: request) }
            #expect(error.reason.outline == "transfer.body-ended-early")
            #expect(error.attempt == retries + 1)
        }
    }

    @Test func anAcceptedResponseThatIsNotRepeatedFailsWithItsBody() async throws {
        server.on("GET", "/", Self.cut(503))
        let request = get.settingOptions {
            $0.validation = .acceptAll
            $0.retry = RetryPolicy(maxRetries: 1)
            $0.retry.shouldRetry = { $0.response?.body.isEmpty == true }
        }
        let error = try await failure { () throws(HTTPError) in try await client.response(for: request) }
        #expect(error.reason.outline == "transfer.body-ended-early" && error.attempt == 1)
    }

    @Test func aTransportThatIsCancelledDoesNotHideIt() async throws {
        let transport = ScriptedTransport { request, receiver in
            receiver.receive(.head(HTTPResponse(status: .notFound, body: (), url: request.url)))
            receiver.receive(.failed(TransportFailure(.cancelled)))
            return ScriptedExchange()
        }
        let client = HTTPClient(configuration: .init(), transport: transport)
        let error = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "http://h/"))
        }
        #expect(error.isCancellation)
    }

    // MARK: The total timeout

    /// A client whose server sends a head and three bytes, and nothing more.
    private func stalling(_ head: (HTTPStatus, HTTPHeaders), _ scheduler: TestScheduler) -> HTTPClient {
        let transport = ScriptedTransport { request, receiver in
            receiver.receive(.head(HTTPResponse(status: head.0, headers: head.1, body: (), url: request.url)))
            receiver.receive(.chunk(Data("gon".utf8), received: 3))
            return ScriptedExchange()
        }
        var configuration = HTTPClient.Configuration()
        configuration.options.timeouts.total = .seconds(5)
        return HTTPClient(configuration: configuration, transport: transport, scheduler: scheduler)
    }

    @Test func theStatusIsKnownWhenTheTimeIsOver() async throws {
        let scheduler = TestScheduler()
        let recorder = EventRecorder<Void>()
        stalling((404, [:]), scheduler).events(for: HTTPRequest(.get, "http://h/")).subscribe(recorder)
        scheduler.advance(by: .seconds(5))
        let recording = try await recorder.finished()
        #expect(recording.failure?.status == .notFound)
        #expect(recording.failure?.response?.body == Data("gon".utf8))
    }

    @Test(arguments: [(200, [:]), (302, ["Location": "/next"])] as [(HTTPStatus, HTTPHeaders)])
    func noOtherResponseIsKnownWhenTheTimeIsOver(head: (HTTPStatus, HTTPHeaders)) async throws {
        let scheduler = TestScheduler()
        let recorder = EventRecorder<Void>()
        stalling(head, scheduler).events(for: HTTPRequest(.get, "http://h/")).subscribe(recorder)
        scheduler.advance(by: .seconds(5))
        #expect(try await recorder.finished().failure?.reason.outline == "timeout.total")
    }

    // MARK: Redirects

    @Test(arguments: [
        Fault.close(at: .inBody(after: 0)), .reset(at: .inBody(after: 3)), .malformedChunkSize(after: 3),
        .stall(at: .inBody(after: 3)),
    ]) func followsARedirectWhoseBodyBreaks(fault: Fault) async throws {
        let isChunked = if case .malformedChunkSize = fault { true } else { false }
        let body = isChunked ? Reply.Body.chunked("moved") : .text("moved")
        server.on("GET", "/", Reply(302, headers: ["Location": "/next"], body: body).failing(with: fault))
        server.on("GET", "/next", .text("fine"))
        let request = get.settingOptions { $0.timeouts.idle = .seconds(2) }
        let recording = try await EventRecorder.record(client.events(for: request))
        #expect(recording.outline == ["attempt 1", "head 200", "response 200"] && recording.body == Data("fine".utf8))
        #expect(recording.response?.redirects.count == 1)
    }

    @Test func followsARedirectWhoseBodyCannotBeDecoded() async throws {
        let headers: HeaderFields = ["Location": "/next", "Content-Encoding": "compress"]
        server.on("GET", "/", Reply(302, headers: headers, body: .chunked("moved")))
        server.on("GET", "/next", .text("fine"))
        #expect(try await client.response(for: get).body == Data("fine".utf8))
    }

    // MARK: Feeds and downloads

    private static let coded = Reply(404, headers: ["Content-Encoding": "compress"], body: .text("gone"))

    @Test(arguments: [cut(404), coded]) func aFeedEndsAsAfterACompleteError(reply: Reply) async throws {
        server.on("GET", "/", reply)
        let recorder = FeedRecorder<ServerSentEvent<String>>()
        client.serverSentEvents(for: get, options: .immediate).events.subscribe(recorder)
        let recording = try await recorder.finished()
        #expect(recording.failure?.status == .notFound && recording.outline == ["connecting 1"])
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [cut(404), coded]) func aPollEndsAsAfterACompleteError(reply: Reply) async throws {
        server.on("GET", "/", reply)
        let recorder = FeedRecorder<HTTPResponse<Data>>()
        client.poll(get, every: .zero, options: .immediate).events.subscribe(recorder)
        let recording = try await recorder.finished()
        #expect(recording.failure?.status == .notFound && server.requests.count == 1)
    }

    @Test(arguments: [cut(404), coded]) func aDownloadEndsAsAfterACompleteError(reply: Reply) async throws {
        server.on("GET", "/", reply)
        let folder = try ScratchFolder()
        let request = get.settingOptions {
            $0.retry = RetryPolicy(maxRetries: 5, backoff: Backoff(initial: .zero))
        }
        let recording = try await DownloadRecorder.record(client.download(request, to: "\(folder.path)/file"))
        #expect(recording.failure?.status == .notFound && recording.outline == [])
        #expect(try server.requests.count == 1 && folder.names == [])
    }
}
