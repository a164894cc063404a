import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

@testable import StreamsHTTPTesting

@Suite(.serialized) struct RecordingTests {
    private let server: LoopbackServer
    private let folder: ScratchFolder

    init() throws {
        server = try LoopbackServer(limits: LoopbackServer.Limits(recording: 1 << 20))
        folder = try ScratchFolder()
    }

    private func request(
        _ method: HTTPMethod, _ path: String, headers: HTTPHeaders = [:], body: HTTPBody = .empty,
        idleTimeout: Duration? = nil, allowsAddress: RequestOptions.Connection.AddressRule? = nil
    ) throws -> TransportRequest {
        let url = try #require(URL(string: server.url(path)))
        var connection = RequestOptions.Connection()
        connection.allowsAddress = allowsAddress
        return TransportRequest(
            method: method, url: url, headers: headers, body: body, connection: connection, idleTimeout: idleTimeout,
            usesBackpressure: true, window: 1 << 30)
    }

    private func play(_ request: TransportRequest, on transport: any HTTPTransport) async throws -> [String] {
        let recorder = TransportRecorder()
        let exchange = transport.start(request, delivering: recorder)
        let recording = try await recorder.ended()
        withExtendedLifetime(exchange) {}
        #expect(recording.problems == [])
        return recording.outline
    }

    private func script() throws -> [TransportRequest] {
        let gate = Gate()
        gate.open()
        server.on("GET", "/text", .text("first"), .text("second, ä and \u{0}"), Reply(503))
        server.on("GET", "/chunks", Reply(body: .chunked("one", .pause(.milliseconds(20)), "two", "three")))
        server.on("GET", "/large", .generated(300_000))
        server.on("GET", "/cut", .generated(1000).failing(with: .close(at: .inBody(after: 500))))
        server.on("GET", "/reset", .generated(1000).failing(with: .reset(at: .beforeHead)))
        server.on("GET", "/stall", .generated(1000).failing(with: .stall(at: .inBody(after: 10))))
        server.on("GET", "/old", .redirect(to: "/text"))
        server.on("POST", "/echo", intake: .atOnce) { .bytes($0.body) }
        server.on("HEAD", "/text", .text("first"))
        return [
            try request(.get, "/text"), try request(.get, "/chunks"), try request(.get, "/text"),
            try request(.get, "/large"), try request(.get, "/cut"), try request(.get, "/reset"),
            try request(.get, "/stall", idleTimeout: .milliseconds(100)), try request(.get, "/old"),
            try request(.get, "/text"),
            try request(.head, "/text"), try request(.get, "/none"),
            try request(.post, "/echo", body: .data(Data(GeneratedBytes.bytes(0..<200_000)))),
            try request(.post, "/echo", body: .stream(ChunkSource(["a", "b", "c"].map { Data($0.utf8) }))),
            TransportRequest(method: .get, url: try #require(URL(string: "http://127.0.0.1:1/"))),
            try request(.get, "/text", allowsAddress: .publicOnly),
        ]
    }

    @Test func replaysSameEvents() async throws {
        let requests = try script()
        let written = try RecordingTransport(wrapping: CurlTransport(), into: folder.path)
        let recording = RecordingTransport(wrapping: written)
        var live: [[String]] = []
        for request in requests { live.append(try await play(request, on: recording)) }
        try await written.finish()
        server.stop()
        #expect(try folder.names.count == requests.count + 1)
        for session in [recording.session, try RecordedSession(path: folder.path)] {
            let replay = ReplayTransport(from: session)
            for (request, events) in zip(requests, live) { #expect(try await play(request, on: replay) == events) }
            #expect(replay.remaining.isEmpty)
        }
    }

    @Test(arguments: [0, 1, 65_536, 65_537, 100_000, 131_072, 131_073, 300_001])
    func replaysBodiesByteForByte(size: Int) async throws {
        let expected = Data(GeneratedBytes.bytes(0..<size))
        server.on("GET", "/length", .generated(size))
        server.on("GET", "/chunked", .generated(size, framing: .chunked))
        server.on("GET", "/close", .generated(size, framing: .untilClose))
        server.on("POST", "/echo") { .bytes($0.body) }
        let requests = [
            try request(.get, "/length"), try request(.get, "/chunked"), try request(.get, "/close"),
            try request(.post, "/echo", body: .data(expected)),
        ]
        let written = try RecordingTransport(wrapping: CurlTransport(), into: folder.path)
        let recording = RecordingTransport(wrapping: written)
        for request in requests {
            let isExact = try await body(of: request, on: recording) == expected
            #expect(isExact, "\(request.url)")
        }
        try await written.finish()
        for session in [recording.session, try RecordedSession(path: folder.path)] {
            let replay = ReplayTransport(from: session, matching: .methodURLAndBody)
            for request in requests {
                let isExact = try await body(of: request, on: replay) == expected
                #expect(isExact, "\(request.url)")
            }
        }
    }

    private func body(of request: TransportRequest, on transport: any HTTPTransport) async throws -> Data {
        let recorder = TransportRecorder()
        let exchange = transport.start(request, delivering: recorder)
        let recording = try await recorder.ended()
        withExtendedLifetime(exchange) {}
        #expect(recording.isFinished && recording.problems == [])
        return recording.body
    }

    @Test(arguments: [HTTPBody.Compression.gzip, .deflate])
    func recordsCompressedBodyDecodedAndRedacted(compression: HTTPBody.Compression) async throws {
        server.on("POST", "/", .text("got it"))
        let text = #"{"password":"s3cret","text":"\#(String(repeating: "a", count: 1000))"}"#
        let body = HTTPBody.text(text, contentType: "application/json").compressed(compression)
        let recording = RecordingTransport(wrapping: CurlTransport())
        let request = HTTPRequest(.post, server.url("/"), body: body)
        _ = try await HTTPClient(configuration: .init(), transport: recording).response(for: request)
        let recorded = try #require(recording.session.exchanges.first?.request.body)
        #expect(recorded == .text(text.replacing("s3cret", with: "******")))
        let replay = ReplayTransport(from: recording.session, matching: .methodURLAndBody)
        let replaying = HTTPClient(configuration: .init(), transport: replay)
        #expect(try await replaying.response(for: request).body == Data("got it".utf8))
        #expect(replay.remaining.isEmpty)
    }

    @Test func hidesBodyThatCannotBeDecoded() async throws {
        server.on("POST", "/", .text("got it"))
        let recording = RecordingTransport(wrapping: CurlTransport())
        let headers: HTTPHeaders = ["Content-Encoding": "aes128gcm", "Content-Type": "application/json"]
        let request = HTTPRequest(.post, server.url("/"), headers: headers, body: .data(Data("s3cret".utf8)))
        _ = try await HTTPClient(configuration: .init(), transport: recording).response(for: request)
        #expect(recording.session.exchanges.first?.request.body == .text("******"))
    }

    @Test func replaysTrailers() async throws {
        let trailers: HeaderFields = ["X-Sum": "2", "X-Two": "a, b", "X-Two": "c", "X-Api-Key": "s3cret"]
        server.on("GET", "/", Reply(body: .chunked("a", "b")).with(trailers: trailers))
        let recording = try RecordingTransport(wrapping: CurlTransport(), into: folder.path)
        let live = TransportRecorder()
        let exchange = recording.start(try request(.get, "/"), delivering: live)
        #expect(try await live.ended().trailers?.map(\.value) == ["2", "a, b", "c", "s3cret"])
        withExtendedLifetime(exchange) {}
        try await recording.finish()
        let replay = ReplayTransport(from: try RecordedSession(path: folder.path))
        let replayed = TransportRecorder()
        _ = replay.start(try request(.get, "/"), delivering: replayed)
        let events = try await replayed.ended()
        let kept = try #require(events.trailers)
        #expect(kept.map(\.name) == ["X-Sum", "X-Two", "X-Two", "X-Api-Key"])
        #expect(kept.map(\.value).dropLast() == ["2", "a, b", "c"] && kept["X-Api-Key"] != "s3cret")
        #expect(events.outline.suffix(2).map { $0.prefix(8) } == ["trailers", "finished"])
    }

    @Test func replaysFieldsOfOtherBytes() async throws {
        let fields = HeaderFields([
            HeaderFields.Field(name: "ETag", bytes: [0x22, 0xE9, 0x22]),
            HeaderFields.Field(name: "X-A", value: "\u{e9}"),
        ])
        server.on("GET", "/", Reply(headers: fields, body: .chunked("a")).with(trailers: fields))
        let recording = try RecordingTransport(wrapping: CurlTransport(), into: folder.path)
        var request = try request(.get, "/")
        request.headers[bytes: "X-B"] = [0xE9]
        _ = try await play(request, on: recording)
        try await recording.finish()
        let session = try RecordedSession(path: folder.path)
        #expect(session.exchanges.first?.request.headers.first { $0.name == "X-B" }?.base64 == Data([0xE9]))
        let replay = ReplayTransport(from: session)
        let replayed = TransportRecorder()
        _ = replay.start(request, delivering: replayed)
        let events = try await replayed.ended()
        for headers in [events.head?.headers, events.trailers] {
            #expect(headers?[bytes: "ETag"] == [0x22, 0xE9, 0x22] && headers?[bytes: "X-A"] == [0xC3, 0xA9])
            #expect(headers?["ETag"] == "\"\u{e9}\"")
        }
    }

    @Test func releasesWrittenExchanges() async throws {
        server.on("GET", "/", .generated(100_000))
        let recording = try RecordingTransport(wrapping: CurlTransport(), into: folder.path)
        for _ in 0..<3 { _ = try await play(try request(.get, "/"), on: recording) }
        try await recording.finish()
        #expect(recording.session.exchanges.isEmpty)
        #expect(try RecordedSession(path: folder.path).exchanges.count == 3)
    }

    /// An exchange that calls a closure when it is released.
    private final class Fragile: TransportExchange {
        private let onRelease: @Sendable () -> Void

        init(onRelease: @escaping @Sendable () -> Void) {
            self.onRelease = onRelease
        }

        deinit { onRelease() }

        func allow(bytes: Int) {}
        func abort() {}
    }

    private struct FragileTransport: HTTPTransport {
        let receiver: Watched<(any TransportReceiver)?>
        let onRelease: @Sendable () -> Void

        func start(_ request: TransportRequest, delivering receiver: any TransportReceiver) -> any TransportExchange {
            self.receiver.update { $0 = receiver }
            return Fragile(onRelease: onRelease)
        }
    }

    @Test func releasesExchangeOutsideOfLock() throws {
        let receiver = Watched<(any TransportReceiver)?>(nil)
        let exchange = Watched<(any TransportExchange)?>(nil)
        let isReleased = Watched(false)
        let base = FragileTransport(receiver: receiver) {
            exchange.value?.allow(bytes: 1)
            isReleased.update { $0 = true }
        }
        let recorder = TransportRecorder()
        let started = RecordingTransport(wrapping: base).start(try request(.get, "/"), delivering: recorder)
        exchange.update { $0 = started }
        receiver.value?.receive(.failed(TransportFailure(.transfer(.other))))
        #expect(isReleased.value && recorder.recording.value.isOver)
        exchange.update { $0 = nil }
    }

    /// Failures that transports have: those with a response are the client's.
    private static let failures: [HTTPError.Reason] = {
        var failures = HTTPError.Reason.all.filter { !["status", "decoding"].contains($0.name) }
        failures.append(.transfer(.bodyTooLarge(limit: 5)))
        failures.append(.transfer(.unexpectedContentType("text/html")))
        failures.append(.transfer(.protocolError(.chunk)))
        failures.append(.redirect(.tooMany(limit: 5)))
        failures.append(.redirect(.unfollowable(location: "7")))
        failures.append(.redirect(.unsupportedScheme("ftp")))
        failures.append(.invalidRequest(.malformedURL("::1")))
        failures.append(.invalidRequest(.outdatedLibrary(name: "a", version: "1", minimum: "2")))
        failures.append(.authorization(.provider(UnexpectedSuccess())))
        for address in ["192.0.2.7", "::1"].compactMap({ IPAddress($0) }) {
            failures.append(.connection(.addressNotAllowed(address)))
        }
        return failures
    }()

    @Test(arguments: failures) func replaysEachFailure(reason: HTTPError.Reason) async throws {
        let mock = MockTransport()
        mock.on(.get, "/", .failure(reason))
        let recording = try RecordingTransport(wrapping: mock, into: folder.path)
        _ = try await play(try request(.get, "/"), on: recording)
        try await recording.finish()
        let recorder = TransportRecorder()
        let replay = ReplayTransport(from: try RecordedSession(path: folder.path))
        let exchange = replay.start(try request(.get, "/"), delivering: recorder)
        let replayed = try #require(try await recorder.ended().failure?.reason)
        withExtendedLifetime(exchange) {}
        #expect(replayed.name == reason.name && replayed.description == reason.description)
        switch (reason, replayed) {
        case (.invalidRequest(let old), .invalidRequest(let new)): #expect(old == new)
        case (.connection(let old), .connection(let new)): #expect(old == new)
        case (.transfer(let old), .transfer(let new)): #expect(old == new)
        case (.redirect(let old), .redirect(let new)): #expect(old == new)
        default: break
        }
    }

    @Test func refusesUnknownFailure() async throws {
        let mock = MockTransport()
        mock.on(.get, "/", .failure(.transfer(.emptyReply)))
        let recording = try RecordingTransport(wrapping: mock, into: folder.path)
        _ = try await play(try request(.get, "/"), on: recording)
        try await recording.finish()
        let name = try #require(try folder.names.first { $0 != "session.json" })
        let text = try folder.text(of: name)
        try folder.write(text.replacing("transfer.empty-reply", with: "transfer.unheard-of"), to: name)
        let error = #expect(throws: RecordingError.self) { try RecordedSession(path: folder.path) }
        #expect(error == .failureName("transfer.unheard-of", exchange: 1))
        #expect(error?.description.contains(#""transfer.unheard-of" of the recorded exchange 1"#) == true)
    }

    @Test func refusesFailureWithoutName() throws {
        try folder.write(#"{"format":2,"redaction":{"names":[],"parameters":[]}}"#, to: "session.json")
        let request = #""request":{"method":"GET","url":"http://h/","headers":[]}"#
        try folder.write(#"{"number":7,\#(request),"events":[{"kind":"failed","at":0}]}"#, to: "0007-GET.json")
        #expect(throws: RecordingError.failureName("", exchange: 7)) { try RecordedSession(path: folder.path) }
    }

    /// The manifest of another format may have other members.
    @Test(arguments: [1, 3])
    func refusesAnotherFormat(_ format: Int) throws {
        try folder.write("{\"format\":\(format)}", to: "session.json")
        let error = #expect(throws: RecordingError.self) { try RecordedSession(path: folder.path) }
        #expect(error == .format(format))
        #expect(error?.description == "the recording has the format \(format) instead of 2; make it again")
    }

    /// A URL in a failure is redacted as all others are.
    @Test func hidesSecretsOfFailures() async throws {
        let mock = MockTransport()
        mock.on(.get, "/", .failure(.redirect(.unfollowable(location: "http://a b/?api_key=s3cret7"))))
        let recording = RecordingTransport(wrapping: mock)
        _ = try await play(try request(.get, "/"), on: recording)
        let text = String(decoding: try JSONEncoder().encode(recording.session.exchanges), as: UTF8.self)
        #expect(text.contains("redirect.unfollowable") && !text.contains("s3cret7"))
    }

    @Test func replaysRetriesAndRedirects() async throws {
        server.on("GET", "/old", .status(503), .redirect(to: "/new"))
        server.on("GET", "/new", .generated(100_000))
        server.on("GET", "/broken", .generated(1000).failing(with: .close(at: .inBody(after: 500))))
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: .init(initial: .zero, maximum: .zero))
        }
        let recording = RecordingTransport(wrapping: CurlTransport())
        var streams: [[EventRecording<Void>]] = []
        for isLive in [true, false] {
            let transport: any HTTPTransport = isLive ? recording : ReplayTransport(from: recording.session)
            let client = server.client(options: options, transport: transport)
            var recorded: [EventRecording<Void>] = []
            for path in ["/old", "/broken"] {
                recorded.append(try await EventRecorder.record(client.events(for: HTTPRequest(.get, path))))
            }
            streams.append(recorded)
        }
        for (live, replayed) in zip(streams[0], streams[1]) {
            #expect(live.outline == replayed.outline)
            let isSame = live.body == replayed.body
            #expect(isSame && GeneratedBytes.matches(live.body, at: 0))
            #expect(live.failure?.description == replayed.failure?.description)
            #expect(live.response?.url == replayed.response?.url)
            #expect(live.response?.redirects == replayed.response?.redirects)
            #expect(live.response?.headers == replayed.response?.headers)
            #expect(live.downloads.last == replayed.downloads.last)
        }
        #expect(streams[0][0].retries.count == 1 && streams[0][0].response?.redirects.count == 1)
        #expect(streams[0][0].body.count == 100_000 && streams[0][1].body.count == 500)
        #expect(streams[0][1].failure != nil)
    }

    @Test func unrecordedRequestFailsWithItsName() async throws {
        server.on("GET", "/text", .text("hello"))
        let recording = RecordingTransport(wrapping: CurlTransport())
        _ = try await play(try request(.get, "/text"), on: recording)
        let replay = ReplayTransport(from: recording.session)
        _ = try await play(try request(.get, "/text"), on: replay)
        for (method, path) in [(HTTPMethod.get, "/text"), (.put, "/text"), (.get, "/text?a=1")] {
            let events = try await play(try request(method, path), on: replay)
            #expect(events == ["failed: thrown.transport(MissingRecording),  0"])
        }
    }

    @Test func matchesBodiesIfAsked() async throws {
        server.on("POST", "/echo") { .bytes($0.body) }
        let recording = RecordingTransport(wrapping: CurlTransport())
        for text in ["one", "two"] {
            _ = try await play(try request(.post, "/echo", body: .text(text)), on: recording)
        }
        let replay = ReplayTransport(from: recording.session, matching: .methodURLAndBody)
        for text in ["two", "one"] {
            let stream = HTTPBody.stream(ChunkSource([Data(text.utf8)]))
            let events = try await play(try request(.post, "/echo", body: stream), on: replay)
            #expect(events.contains("chunk \(Data(text.utf8).base64EncodedString()) at 3"))
        }
        let missing = try await play(try request(.post, "/echo", body: .text("three")), on: replay)
        #expect(missing.last?.hasPrefix("failed: thrown.transport(MissingRecording)") == true)
        let plain = ReplayTransport(from: recording.session)
        let events = try await play(try request(.post, "/echo", body: .text("two")), on: plain)
        #expect(events.contains("chunk \(Data("one".utf8).base64EncodedString()) at 3"))
    }

    @Test func replaysRecordedDelays() async throws {
        let mock = MockTransport()
        mock.on(.get, "/", MockResponse(chunks: [Data([1]), Data([2])]).delayingChunks(by: .milliseconds(30)))
        let recording = RecordingTransport(wrapping: mock)
        _ = try await play(try request(.get, "/"), on: recording)
        let scheduler = TestScheduler()
        let replay = ReplayTransport(from: recording.session, pace: .asRecorded, scheduler: scheduler)
        let recorder = TransportRecorder()
        _ = replay.start(try request(.get, "/"), delivering: recorder)
        scheduler.advance(by: .milliseconds(29))
        #expect(recorder.recording.value.body.isEmpty)
        scheduler.advance(by: .seconds(10))
        #expect(recorder.recording.value.isFinished && recorder.recording.value.body == Data([1, 2]))
    }

    @Test func limitsRecordedDelays() throws {
        let events = [RecordedExchange.Event(.finished, at: 1e300)]
        let request = RecordedExchange.Request(method: "GET", url: server.url("/"), headers: [], body: nil)
        let session = RecordedSession(
            [RecordedExchange(number: 1, request: request, events: events)], redaction: Redaction())
        let scheduler = TestScheduler()
        let recorder = TransportRecorder()
        let exchange = ReplayTransport(from: session, pace: .asRecorded, scheduler: scheduler)
            .start(try self.request(.get, "/"), delivering: recorder)
        scheduler.advance(by: .seconds(1_000_000))
        #expect(recorder.recording.value.events.isEmpty && scheduler.hasWork)
        exchange.abort()
    }

    @Test func abortedExchangeStallsInReplay() async throws {
        let gate = Gate()
        server.on("GET", "/", Reply(body: .chunked("one", .hold(gate), "two")))
        let recording = RecordingTransport(wrapping: CurlTransport())
        let recorder = TransportRecorder()
        let exchange = recording.start(try request(.get, "/"), delivering: recorder)
        try await recorder.recording.wait(for: "a chunk") { !$0.body.isEmpty }
        exchange.abort()
        try await server.waitForDisconnection()
        gate.open()
        let replayed = TransportRecorder()
        _ = ReplayTransport(from: recording.session).start(try request(.get, "/"), delivering: replayed)
        try await replayed.recording.wait(for: "a chunk") { !$0.body.isEmpty }
        #expect(try await replayed.recording.waitForStandstill().outline == recorder.recording.value.outline)
    }

    @Test func leavesOutSecrets() async throws {
        let secrets = [
            "s3cret1", "s3cret2", "s3cret3", "s3cret4", "s3cret5", "s3cret6", "s3cret7", "424242", "s3cret8", "s3cret9",
        ]
        server.on("POST", "/login") { _ in
            Reply(
                headers: [
                    "Set-Cookie": "sid=s3cret1", "X-Api-Key": "s3cret2", "Location": "/next?token=s3cret3&page=1",
                    "X-Seen": "yes", "Content-Type": "application/json",
                    "Operation-Location": "https://h/?sig=s3cret8", "Azure-AsyncOperation": "https://h/?sig=s3cret8",
                ],
                body: .chunked(
                    #"{"user":"ann","file":"https:\/\/h\/?x\u0026sig=s3cret9","access_token":"s3c"#,
                    #"ret4","expires":3600,"secret":{"pin":424242,"a":["s3cret5"]}}"#))
        }
        let recording = try RecordingTransport(wrapping: CurlTransport(), into: folder.path)
        let body = HTTPBody.text(
            "user=ann&password=s3cret6&next=https%3A%2F%2Fh%2F%3Faccess_token%3Ds3cret9",
            contentType: "application/x-www-form-urlencoded")
        let headers: HTTPHeaders = [
            "Authorization": "Bearer s3cret7", "Content-Type": "application/x-www-form-urlencoded",
        ]
        let login = try request(
            .post, "/login?api_key=s3cret7&page=2&u=%2F%3Fcode%3Ds3cret8", headers: headers, body: body)
        let live = try await play(login, on: recording)
        try await recording.finish()
        let text = try folder.text(of: try #require(try folder.names.first))
        for secret in secrets { #expect(!text.contains(secret), "\(secret) in \(text)") }
        for kept in ["page=2", "page=1", "user=ann", #"\"user\":\"ann\""#, "X-Seen", "3600"] {
            #expect(text.contains(kept), "\(kept) not in \(text)")
        }
        // A request with other secrets matches it, and the chunks keep their lengths.
        let again = try request(.post, "/login?api_key=other&page=2&u=%2F%3Fcode%3Dx", headers: headers)
        let replayed = try await play(again, on: ReplayTransport(from: try RecordedSession(path: folder.path)))
        #expect(
            live.filter { $0.hasPrefix("chunk") }.map(\.count) == replayed.filter { $0.hasPrefix("chunk") }.map(\.count)
        )
    }

    /// The names that were once recorded, in each place of an exchange.
    @Test(arguments: [
        "api-key", "accessToken", "code_verifier", "client_assertion", "X-Amz-Signature", "privateKey", "session_id",
    ])
    func leavesOutSecretsEverywhere(name: String) async throws {
        server.on("POST", "/") { _ in
            Reply(
                headers: ["Content-Type": "application/json", name: "s3cret", "Link": "</?\(name)=s3cret>; rel=next"],
                body: .text(
                    #"{"user":"ann","text":"{\"\#(name)\":\"s3cret\"}","a":[{"\#(name)":["s3cret",{"b":"s3cret"}]}]}"#))
        }
        let form = MultipartForm([
            .text("user", "ann"), .text(name, "s3cret"),
            .data("meta", Data(#"{"\#(name)":"s3cret"}"#.utf8), contentType: "application/json"),
        ])
        let bodies: [HTTPBody] = [try .multipart(form), .form(["user": "ann", name: "s3cret"])]
        let recording = try RecordingTransport(wrapping: CurlTransport(), into: folder.path)
        for body in bodies {
            let headers: HTTPHeaders = [.init(name): "s3cret", "Content-Type": body.contentType ?? ""]
            _ = try await play(try request(.post, "/?\(name)=s3cret", headers: headers, body: body), on: recording)
        }
        try await recording.finish()
        #expect(try folder.names.count == 3)
        for file in try folder.names where file != "session.json" {
            let text = try folder.text(of: file)
            #expect(!text.contains("s3cret") && text.contains("ann"), "\(text)")
        }
        let multipart = try #require(server.requests.first?.body)
        let replay = ReplayTransport(from: try RecordedSession(path: folder.path), matching: .methodURLAndBody)
        #expect(String(decoding: multipart, as: UTF8.self).contains("s3cret"))
        let again = try request(
            .post, "/?\(name)=other", headers: ["Content-Type": bodies[1].contentType ?? ""],
            body: .form(["user": "ann", name: "s3cre7"]))
        #expect(try await play(again, on: replay).last?.hasPrefix("finished") == true)
    }

    @Test func replacesPreviousRecording() async throws {
        server.on("GET", "/", .text("hello"))
        try folder.write("{}", to: "notes.json")
        for count in [3, 1] {
            let recording = try RecordingTransport(wrapping: CurlTransport(), into: folder.path)
            for _ in 0..<count { _ = try await play(try request(.get, "/"), on: recording) }
            try await recording.finish()
            #expect(try RecordedSession(path: folder.path).exchanges.count == count)
        }
        #expect(try folder.names == ["0001-GET.json", "notes.json", "session.json"])
    }

    @Test(arguments: [0, -1, 2])
    func refusesNumbersThatNameNoFile(_ number: Int) throws {
        try folder.write(#"{"format":2,"redaction":{"names":[],"parameters":[]}}"#, to: "session.json")
        let request = #""request":{"method":"GET","url":"http://h/","headers":[]},"events":[]"#
        try folder.write("{\"number\":2,\(request)}", to: "0001-GET.json")
        #expect(try RecordedSession(path: folder.path).exchanges.count == 1)
        try folder.write("{\"number\":\(number),\(request)}", to: "0002-GET.json")
        #expect(throws: DecodingError.self) { try RecordedSession(path: folder.path) }
    }

    @Test func throwsFileErrors() async throws {
        try folder.write("", to: "file")
        #expect(throws: FileError.self) {
            try RecordingTransport(wrapping: CurlTransport(), into: folder.path + "/file/below")
        }
        #expect(throws: FileError.self) { try RecordedSession(path: folder.path + "/none") }
    }

    #if os(Linux)
    /// The error is the one of the last attempt, not that the folder is missing.
    @Test func throwsReasonForMissingFolder() throws {
        let error = try #require(throws: FileError.self) {
            try RecordingTransport(wrapping: CurlTransport(), into: "/sys/recordings")
        }
        #expect([EPERM, EACCES, EROFS].contains(error.code))
    }
    #endif
}
