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

    /// - Parameter retries: The number of retries; `nil` if the policy decides against one when it knows the body.
    @Test(arguments: [0, 1, nil]) func deliversThePartOfAnAcceptedResponse(retries: Int?) async throws {
        server.on("GET", "/", Self.cut(503))
        let request = get.settingOptions {
            $0.validation = .acceptAll
            $0.retry = RetryPolicy(maxRetries: retries ?? 1, backoff: Backoff(initial: .zero))
            if retries == nil { $0.retry.shouldRetry = { $0.response?.body.isEmpty == true } }
        }
        var part = Data()
        var failure: HTTPError?
        do throws(HTTPError) {
            for try await chunk in client.chunks(for: request).values { part += chunk }
        } catch {
            failure = error
        }
        #expect(part == Data("gon".utf8))
        #expect(failure?.reason.outline == "transfer.body-ended-early")
        #expect(failure?.attempt == (retries ?? 0) + 1)
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
        let recorder = EventRecorder(of: stalling((404, [:]), scheduler).events(for: HTTPRequest(.get, "http://h/")))
        scheduler.advance(by: .seconds(5))
        let recording = try await recorder.finished()
        #expect(recording.failure?.status == .notFound)
        #expect(recording.failure?.response?.body == Data("gon".utf8))
    }

    @Test func noOtherResponseIsKnownWhenTheTimeIsOver() async throws {
        let scheduler = TestScheduler()
        let recorder = EventRecorder(of: stalling((200, [:]), scheduler).events(for: HTTPRequest(.get, "http://h/")))
        scheduler.advance(by: .seconds(5))
        #expect(try await recorder.finished().failure?.reason.outline == "timeout.total")
    }

    // MARK: Bodies without an end

    /// A client whose server sends a byte of its first response every half second, and a whole response to the next
    /// request.
    private func dripping(
        _ head: (HTTPStatus, HTTPHeaders), _ scheduler: TestScheduler, _ requests: Watched<[TransportRequest]>
    ) -> HTTPClient {
        let transport = ScriptedTransport { request, receiver in
            let number = requests.update { requests in
                requests.append(request)
                return requests.count
            }
            let exchange = ScriptedExchange()
            guard number == 1 else {
                receiver.receive(.head(HTTPResponse(status: .ok, body: (), url: request.url)))
                receiver.receive(.chunk(Data("fine".utf8), received: 4))
                receiver.receive(.finished)
                return exchange
            }
            receiver.receive(.head(HTTPResponse(status: head.0, headers: head.1, body: (), url: request.url)))
            for number in 1...100 {
                scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(500 * number - 1))) {
                    receiver.receive(.chunk(Data("\(number % 10)".utf8), received: Int64(number)))
                }
            }
            return exchange
        }
        return HTTPClient(configuration: .init(), transport: transport, scheduler: scheduler)
    }

    @Test(arguments: [nil, Duration.seconds(2)]) func theStatusIsKnownBeforeABodyWithoutEndHasEnded(
        timeout: Duration?
    ) async throws {
        let (scheduler, requests) = (TestScheduler(), Watched<[TransportRequest]>([]))
        let recorder = EventRecorder<Void>()
        let request = HTTPRequest(.get, "http://h/").settingOptions {
            if let timeout { $0.timeouts.errorBody = timeout }
        }
        dripping((404, [:]), scheduler, requests).events(for: request).subscribe(recorder)
        let seconds = timeout == nil ? 5 : 2
        scheduler.advance(by: .milliseconds(seconds * 1000 - 1))
        #expect(recorder.recording.value.completion == nil)
        scheduler.advance(by: .milliseconds(1))
        let failure = try #require(try await recorder.finished().failure)
        #expect(failure.status == .notFound && requests.value.count == 1)
        #expect(failure.response?.body == Data("123456789012".utf8.prefix(seconds * 2)))
        #expect(failure.underlying?.message == "the body had not ended after \(seconds).000 s")
    }

    @Test func anAttemptFollowsAnErrorWithoutEnd() async throws {
        let (scheduler, requests) = (TestScheduler(), Watched<[TransportRequest]>([]))
        let recorder = EventRecorder<Void>()
        let request = HTTPRequest(.get, "http://h/").settingOptions {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: Backoff(initial: .zero))
        }
        dripping((503, [:]), scheduler, requests).events(for: request).subscribe(recorder)
        scheduler.advance(by: .seconds(5))
        let recording = try await recorder.finished()
        #expect(recording.body == Data("fine".utf8) && requests.value.count == 2)
        #expect(recording.retries.map(\.error.reason.outline) == ["status(503)"])
    }

    @Test func aRedirectWithoutEndIsFollowed() async throws {
        let (scheduler, requests) = (TestScheduler(), Watched<[TransportRequest]>([]))
        let recorder = EventRecorder<Void>()
        dripping((302, ["Location": "/next"]), scheduler, requests).events(for: HTTPRequest(.get, "http://h/"))
            .subscribe(recorder)
        scheduler.advance(by: .milliseconds(500))
        #expect(try await recorder.finished().body == Data("fine".utf8))
        #expect(requests.value.map(\.url.path) == ["/", "/next"])
    }

    @Test func aFeedConnectsAgainAfterAnErrorWithoutEnd() async throws {
        let (scheduler, requests) = (TestScheduler(), Watched<[TransportRequest]>([]))
        let recorder = FeedRecorder<ServerSentEvent<String>>()
        let options = FeedOptions(reconnection: .init(backoff: .constant(.seconds(1))))
        dripping((503, [:]), scheduler, requests).serverSentEvents(
            for: HTTPRequest(.get, "http://h/"), options: options
        )
        .events.subscribe(recorder)
        #expect(await scheduler.settle(advancingBy: .seconds(6)))
        let recording = try await recorder.finished()
        #expect(recording.outline == ["connecting 1", "waiting: status", "connecting 2"])
        // The second response is no event stream.
        #expect(recording.failure?.name == "transfer.unexpected-content-type" && requests.value.count == 2)
    }

    @Test func aBodyThatEndsInTimeLeavesNoTimer() async throws {
        let scheduler = TestScheduler()
        let transport = ScriptedTransport { request, receiver in
            receiver.receive(.head(HTTPResponse(status: .notFound, body: (), url: request.url)))
            receiver.receive(.finished)
            return ScriptedExchange()
        }
        let client = HTTPClient(configuration: .init(), transport: transport, scheduler: scheduler)
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "http://h/")))
        #expect(try await recorder.finished().failure?.status == .notFound)
        #expect(!scheduler.hasWork)
    }

    // MARK: Refused uploads

    /// The server refuses the body, and breaks the exchange before its response has ended.
    @Test(arguments: [true, false]) func aRefusedBodyIsNotSentAgain(isAccepted: Bool) async throws {
        let requests = Watched(0)
        let transport = ScriptedTransport { request, receiver in
            requests.update { $0 += 1 }
            receiver.receive(.head(HTTPResponse(status: .contentTooLarge, body: (), url: request.url)))
            receiver.receive(.failed(TransportFailure(.transfer(.bodyEndedEarly))))
            return ScriptedExchange()
        }
        let client = HTTPClient(configuration: .init(), transport: transport)
        let request = HTTPRequest(.put, "http://h/", body: .text("content")).settingOptions {
            $0.validation = isAccepted ? .acceptAll : .successOnly
            $0.retry = RetryPolicy(maxRetries: 3, backoff: Backoff(initial: .zero))
        }
        let error = try await failure { () throws(HTTPError) in try await client.response(for: request) }
        #expect(requests.value == 1)
        #expect(error.name == (isAccepted ? "transfer.body-ended-early" : "status"))
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
        let recorder = FeedRecorder(of: client.serverSentEvents(for: get, options: .immediate).events)
        let recording = try await recorder.finished()
        #expect(recording.failure?.status == .notFound && recording.outline == ["connecting 1"])
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [cut(404), coded]) func aPollEndsAsAfterACompleteError(reply: Reply) async throws {
        server.on("GET", "/", reply)
        let recorder = FeedRecorder(of: client.polls(for: get, every: .zero, options: .immediate).events)
        let recording = try await recorder.finished()
        #expect(recording.failure?.status == .notFound && server.requests.count == 1)
    }

    @Test(arguments: [cut(404), coded]) func aDownloadEndsAsAfterACompleteError(reply: Reply) async throws {
        server.on("GET", "/", reply)
        let folder = try ScratchFolder()
        let request = get.settingOptions {
            $0.retry = RetryPolicy(maxRetries: 5, backoff: Backoff(initial: .zero))
        }
        let recording = try await DownloadRecorder.record(client.download(for: request, to: "\(folder.path)/file"))
        #expect(recording.failure?.status == .notFound && recording.outline == [])
        #expect(try server.requests.count == 1 && folder.names == [])
    }
}
