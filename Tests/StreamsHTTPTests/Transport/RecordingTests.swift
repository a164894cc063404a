import StreamsLoopback
import StreamsTesting
import Testing

@testable import StreamsHTTP

/// Recording what a transport does, and doing it again.
@Suite(.reservesDescriptors) struct RecordingTests {
    private let server: LoopbackServer
    private let folder: ScratchFolder

    init() throws {
        server = try LoopbackServer()
        folder = try ScratchFolder()
    }

    private func request(
        _ method: HTTPMethod, _ path: String, headers: HTTPHeaders = [:], body: HTTPBody = .empty,
        idleTimeout: Duration? = nil
    ) throws -> TransportRequest {
        let url = try #require(URL(string: server.url(path)))
        return TransportRequest(
            method: method, url: url, headers: headers, body: body, idleTimeout: idleTimeout, isPaced: true,
            window: 1 << 30)
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
        ]
    }

    @Test func aSessionIsReplayedWithTheSameEvents() async throws {
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

    @Test func whatHasBeenWrittenIsNotHeldInMemory() async throws {
        server.on("GET", "/", .generated(100_000))
        let recording = try RecordingTransport(wrapping: CurlTransport(), into: folder.path)
        for _ in 0..<3 { _ = try await play(try request(.get, "/"), on: recording) }
        try await recording.finish()
        #expect(recording.session.exchanges.isEmpty)
        #expect(try RecordedSession(path: folder.path).exchanges.count == 3)
    }

    /// An exchange that does something when it is let go of.
    private final class Fragile: TransportExchange {
        private let onRelease: @Sendable () -> Void

        init(onRelease: @escaping @Sendable () -> Void) {
            self.onRelease = onRelease
        }

        deinit { onRelease() }

        func grant(_ bytes: Int) {}
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

    @Test func anExchangeIsLetGoOfWhereItMayGrant() throws {
        let receiver = Watched<(any TransportReceiver)?>(nil)
        let exchange = Watched<(any TransportExchange)?>(nil)
        let isReleased = Watched(false)
        let base = FragileTransport(receiver: receiver) {
            exchange.value?.grant(1)
            isReleased.update { $0 = true }
        }
        let recorder = TransportRecorder()
        let started = RecordingTransport(wrapping: base).start(try request(.get, "/"), delivering: recorder)
        exchange.update { $0 = started }
        receiver.value?.receive(.failed(TransportFailure(.transport)))
        #expect(isReleased.value && recorder.recording.value.isOver)
        exchange.update { $0 = nil }
    }

    @Test func wholeRequestsAreReplayedWithTheirRetriesAndRedirects() async throws {
        server.on("GET", "/old", .status(503), .redirect(to: "/new"))
        server.on("GET", "/new", .generated(100_000))
        server.on("GET", "/broken", .generated(1000).failing(with: .close(at: .inBody(after: 500))))
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: .init(initial: .zero, maximum: .zero))
        }
        let recording = RecordingTransport(wrapping: CurlTransport())
        var streams: [[EventRecorder<Void>.Recording]] = []
        for isLive in [true, false] {
            let transport: any HTTPTransport = isLive ? recording : ReplayTransport(from: recording.session)
            let client = server.client(options: options, transport: transport)
            var recorded: [EventRecorder<Void>.Recording] = []
            for path in ["/old", "/broken"] {
                recorded.append(try await EventRecorder.record(client.events(for: HTTPRequest(.get, path))))
            }
            streams.append(recorded)
        }
        for (live, replayed) in zip(streams[0], streams[1]) {
            #expect(live.outline == replayed.outline && live.body == replayed.body)
            #expect(live.failure?.description == replayed.failure?.description)
            #expect(live.response?.url == replayed.response?.url)
            #expect(live.response?.redirects == replayed.response?.redirects)
            #expect(live.response?.headers == replayed.response?.headers)
            #expect(live.downloads.last == replayed.downloads.last)
        }
        #expect(streams[0][0].retries.count == 1 && streams[0][0].response?.redirects.count == 1)
        #expect(streams[0][1].failure != nil)
    }

    @Test func whatWasNotRecordedFailsByName() async throws {
        server.on("GET", "/text", .text("hello"))
        let recording = RecordingTransport(wrapping: CurlTransport())
        _ = try await play(try request(.get, "/text"), on: recording)
        let replay = ReplayTransport(from: recording.session)
        _ = try await play(try request(.get, "/text"), on: replay)
        for (method, path) in [(HTTPMethod.get, "/text"), (.put, "/text"), (.get, "/text?a=1")] {
            let events = try await play(try request(method, path), on: replay)
            #expect(events == ["failed: unanswered(notRecorded(\"\(method) \(server.url(path))\")),  0"])
        }
    }

    @Test func bodiesAreComparedWhereThatIsAskedFor() async throws {
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
        #expect(missing.last?.hasPrefix("failed: unanswered") == true)
        let plain = ReplayTransport(from: recording.session)
        let events = try await play(try request(.post, "/echo", body: .text("two")), on: plain)
        #expect(events.contains("chunk \(Data("one".utf8).base64EncodedString()) at 3"))
    }

    @Test func eventsComeAsFarApartAsTheyWereWhereThatIsAskedFor() async throws {
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

    @Test func aTimeThatNeverComesIsWaitedFor() throws {
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

    @Test func whatWasGivenUpStaysSilentInTheReplay() async throws {
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

    @Test func secretsAreLeftOut() async throws {
        let secrets = ["s3cret1", "s3cret2", "s3cret3", "s3cret4", "s3cret5", "s3cret6", "s3cret7", "424242"]
        server.on("POST", "/login") { _ in
            Reply(
                headers: [
                    "Set-Cookie": "sid=s3cret1", "X-Api-Key": "s3cret2", "Location": "/next?token=s3cret3&page=1",
                    "X-Seen": "yes", "Content-Type": "application/json",
                ],
                body: .chunked(
                    #"{"user":"ann","access_token":"s3c"#,
                    #"ret4","expires":3600,"secret":{"pin":424242,"a":["s3cret5"]}}"#))
        }
        let recording = try RecordingTransport(wrapping: CurlTransport(), into: folder.path)
        let body = HTTPBody.text("user=ann&password=s3cret6", contentType: "application/x-www-form-urlencoded")
        let headers: HTTPHeaders = [
            "Authorization": "Bearer s3cret7", "Content-Type": "application/x-www-form-urlencoded",
        ]
        let login = try request(.post, "/login?api_key=s3cret7&page=2", headers: headers, body: body)
        let live = try await play(login, on: recording)
        try await recording.finish()
        let text = try folder.text(of: try #require(try folder.names.first))
        for secret in secrets { #expect(!text.contains(secret), "\(secret) in \(text)") }
        for kept in ["page=2", "page=1", "user=ann", #"\"user\":\"ann\""#, "X-Seen", "3600"] {
            #expect(text.contains(kept), "\(kept) not in \(text)")
        }
        // It is still found, by a request that has other secrets, and its pieces are as long as they were.
        let again = try request(.post, "/login?api_key=other&page=2", headers: headers)
        let replayed = try await play(again, on: ReplayTransport(from: try RecordedSession(path: folder.path)))
        #expect(
            live.filter { $0.hasPrefix("chunk") }.map(\.count) == replayed.filter { $0.hasPrefix("chunk") }.map(\.count)
        )
    }

    @Test func aRecordingReplacesTheOneBefore() async throws {
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

    @Test func aFolderThatCannotBeWrittenIsToldOf() async throws {
        try folder.write("", to: "file")
        #expect(throws: FileError.self) {
            try RecordingTransport(wrapping: CurlTransport(), into: folder.path + "/file/below")
        }
        #expect(throws: FileError.self) { try RecordedSession(path: folder.path + "/none") }
    }

    #if os(Linux)
    /// Nobody may make a folder there, and that there is none is not why.
    @Test func whyAFolderCannotBeMadeIsTold() throws {
        let error = try #require(throws: FileError.self) {
            try RecordingTransport(wrapping: CurlTransport(), into: "/sys/recordings")
        }
        #expect([EPERM, EACCES, EROFS].contains(error.code))
    }
    #endif
}

/// What is left out of recordings.
@Suite struct RedactionTests {
    private let redaction = Redaction(parameters: ["token"], members: ["token", "naïve"])

    @Test(arguments: [
        (#"{"token":"abc","x":1}"#, #"{"token":"***","x":1}"#), (#"{"TOKEN" : "a\"b"}"#, #"{"TOKEN" : "****"}"#),
        (#"{"token":12.5e3,"x":12}"#, #"{"token":11.1e1,"x":12}"#),
        (#"{"token":null,"x":"a"}"#, #"{"token":null,"x":"a"}"#),
        (#"{"a":{"token":["b",{"c":7}]},"d":8}"#, #"{"a":{"token":["*",{"*":1}]},"d":8}"#),
        (#"{"tok\u0065n":"abc"}"#, #"{"tok\u0065n":"***"}"#), (#"{"na\u00efve":"abc"}"#, #"{"na\u00efve":"***"}"#),
        (#"data: {"token":"abc"}"#, #"data: {"token":"***"}"#), (#"["token","abc"]"#, #"["token","abc"]"#),
        (#"{"token":"unfinish"#, #"{"token":"********"#), (#"{"x":"token","y":"a"}"#, #"{"x":"token","y":"a"}"#),
        (#"{"token":"#, #"{"token":"#), (#"\"#, #"\"#), (#"""#, #"""#), ("plain", "plain"),
        (#"{"a":{"token":1},"b":2}"#, #"{"a":{"token":1},"b":2}"#),
    ])
    func membersAreMaskedByteForByte(text: String, expected: String) {
        let masked = redaction.redacting(body: Data(text.utf8), contentType: "application/json")
        #expect(String(decoding: masked, as: UTF8.self) == expected)
        #expect(masked.count == text.utf8.count)
    }

    @Test func parametersAreFoundInURLsAndForms() {
        let redaction = Redaction(parameters: ["to ken"])
        #expect(redaction.redacting(url: "http://h/p?to%20ken=a&b=c#f") == "http://h/p?to%20ken=<redacted>&b=c#f")
        #expect(redaction.redacting(url: "/p?To+Ken=a&to%20ken&b") == "/p?To+Ken=<redacted>&to%20ken&b")
        #expect(redaction.redacting(url: "/p") == "/p")
        let form = redaction.redacting(
            body: Data("a=1&to+ken=xyz".utf8), contentType: "application/x-www-form-urlencoded; charset=utf-8")
        #expect(String(decoding: form, as: UTF8.self) == "a=1&to+ken=***")
    }

    /// With a mark behind it a delimiter is another letter to Swift.
    @Test(arguments: ["\u{301}", "\u{200D}", "\u{FE0F}"])
    func marksBehindDelimitersHideNoSecret(mark: String) {
        #expect(redaction.redacting(url: "/a?\(mark)&token=\(mark)x#\(mark)") == "/a?\(mark)&token=<redacted>#\(mark)")
        let form = redaction.redacting(
            body: Data("token=\(mark)x".utf8), contentType: "application/x-www-form-urlencoded")
        #expect(String(decoding: form, as: UTF8.self) == "token=" + String(repeating: "*", count: mark.utf8.count + 1))
    }

    @Test func aFormThatIsNoTextKeepsItsLength() {
        let form = Data("a=".utf8) + [0xFF, 0xC3, 0x28] + Data("&token=xyz&b=".utf8) + [0xE4]
        let masked = redaction.redacting(body: form, contentType: "application/x-www-form-urlencoded")
        #expect(masked == Data("a=".utf8) + [0xFF, 0xC3, 0x28] + Data("&token=***&b=".utf8) + [0xE4])
    }
}
