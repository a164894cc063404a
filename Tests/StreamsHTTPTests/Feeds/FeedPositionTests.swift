import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// Positions that a server tells and that cannot be sent back to it.
@Suite(.reservesDescriptors) struct FeedPositionTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    /// Texts that no field can have, or no server accepts.
    static let unsendable = ["a\u{1}b", "\u{8}", "a\u{7F}", "\t \t", String(repeating: "x", count: 900_000)]

    private func reply(_ text: String, status: Int = 200) -> Reply {
        Reply(status, headers: ["Content-Type": "text/event-stream"], body: .text(text))
    }

    private func recordEvents(lastEventID: String = "") async throws -> FeedRecording<ServerSentEvent<String>> {
        let recorder = FeedRecorder<ServerSentEvent<String>>()
        server.client().serverSentEvents(
            for: HTTPRequest(.get, "/"), lastEventID: lastEventID, options: .immediate
        ).events.subscribe(recorder)
        return try await recorder.finished()
    }

    /// The lines of two responses and an end, with a cursor of which the second position is a text.
    private func recordLines(
        _ cursor: (@escaping @Sendable (Data) -> String?) -> Feed<Data>.Cursor, position: String, start: String? = nil
    ) async throws -> FeedRecording<Data> {
        let replies: [Reply] = [.text("1\n2\n"), .text("3\n"), .status(204)]
        server.on("GET", "/") { replies[$0.turn - 1] }
        var cursor = cursor { line in line == Data("2".utf8) ? position : String(decoding: line, as: UTF8.self) }
        cursor.start = start
        let recorder = FeedRecorder<Data>()
        server.client().lines(for: HTTPRequest(.get, "/"), cursor: cursor, options: .immediate).events
            .subscribe(recorder)
        return try await recorder.finished()
    }

    @Test(arguments: unsendable) func anIDThatCannotBeSentIsAGap(id: String) async throws {
        let replies = [
            reply("id: 1\ndata: a\n\nid: \(id)\ndata: b\n\n"), reply("id: 2\ndata: c\n\n"), reply("", status: 204),
        ]
        server.on("GET", "/") { replies[$0.turn - 1] }
        let recording = try await recordEvents()
        #expect(recording.failure == nil)
        #expect(recording.elements.map(\.data) == ["a", "b", "c"])
        #expect(recording.elements.dropFirst().first?.id == id)
        #expect(
            recording.outline == [
                "connecting 1", "open 200", "elements", "waiting: end",
                "connecting 2", "open 200", "feed.not-resumable", "elements", "waiting: end", "connecting 3",
            ])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, nil, "2"])
    }

    @Test(arguments: unsendable + ["a\nb"]) func aFirstIDThatCannotBeSentIsAGap(id: String) async throws {
        let replies = [reply("id: 1\ndata: a\n\n"), reply("", status: 204)]
        server.on("GET", "/") { replies[$0.turn - 1] }
        let recording = try await recordEvents(lastEventID: id)
        #expect(recording.failure == nil)
        #expect(recording.outline.prefix(4) == ["connecting 1", "open 200", "feed.not-resumable", "elements"])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1"])
    }

    @Test func anIDOfTheLargestSizeIsSent() async throws {
        let id = String(repeating: "x", count: 8000)
        let replies = [reply("id: \(id)\ndata: a\n\n"), reply("", status: 204)]
        server.on("GET", "/") { replies[$0.turn - 1] }
        #expect(try await recordEvents().failure == nil)
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, id])
    }

    @Test(arguments: [414, 431]) func anIDThatTheServerRefusesIsAGap(status: Int) async throws {
        let replies = [
            reply("id: 1\ndata: a\n\n"), .status(status), reply("id: 2\ndata: b\n\n"), reply("", status: 204),
        ]
        server.on("GET", "/") { replies[$0.turn - 1] }
        let recording = try await recordEvents()
        #expect(recording.failure == nil)
        #expect(recording.elements.map(\.data) == ["a", "b"])
        #expect(recording.outline.dropFirst(4).prefix(3) == ["connecting 2", "feed.not-resumable", "connecting 2"])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", nil, "2"])
    }

    @Test func aRequestThatIsTooLargeByItselfIsPermanent() async throws {
        server.on("GET", "/", .status(431))
        #expect(try await recordEvents().failure?.response?.status.code == 431)
        #expect(try await recordEvents(lastEventID: "\u{1}").failure?.response?.status.code == 431)
        #expect(server.requests.count == 2)
    }

    @Test(arguments: unsendable + ["a\nb", "a\r\nb"]) func aCursorThatNoFieldCanHaveIsAGap(position: String)
        async throws
    {
        let recording = try await recordLines({ .header("X-After", $0) }, position: position)
        #expect(recording.failure == nil)
        #expect(recording.elements == ["1", "2", "3"].map { Data($0.utf8) })
        #expect(recording.outline.count { $0 == "feed.not-resumable" } == 1)
        #expect(server.requests.map { $0.headers["X-After"] } == [nil, nil, "3"])
    }

    /// A server such as PocketBase, whose IDs name the client and not a position.
    @Test func idsThatAreNoPositionsAreNotSent() async throws {
        let replies = [
            reply("id: c1\ndata: a\n\nid: c1\ndata: b\n\n"), reply("id: c1\ndata: a\n\n"), reply("", status: 204),
        ]
        server.on("GET", "/") { replies[$0.turn - 1] }
        var options = FeedOptions.immediate
        options.resumesFromLastEventID = false
        // The rule would find a gap before each event.
        options.areSuccessive = { _, _ in false }
        let feed = server.client().serverSentEvents(
            for: HTTPRequest(.get, "/"), lastEventID: "c0", options: options)
        let recording = try await FeedRecorder.record(feed.events)
        #expect(recording.elements.map(\.data) == ["a", "b", "a"])
        #expect(recording.elements.map(\.id) == ["c1", "c1", "c1"])
        #expect(
            recording.outline == [
                "connecting 1", "open 200", "elements", "waiting: end",
                "connecting 2", "open 200", "feed.not-resumable", "elements", "waiting: end", "connecting 3",
            ])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, nil, nil])
    }

    @Test func aCursorThatMakesAQueryTooLongIsAGap() async throws {
        let long = String(repeating: "x", count: 900_000)
        let recording = try await recordLines({ .query("after", $0) }, position: long, start: "a\nb")
        #expect(recording.failure == nil)
        #expect(recording.outline.count { $0 == "feed.not-resumable" } == 1)
        // A query has line breaks, in its encoding.
        #expect(server.requests.map(\.target) == ["/?after=a%0Ab", "/", "/?after=3"])
    }

    @Test func aCursorOfTheProgramsOwnIsAGap() async throws {
        let recording = try await recordLines(
            { Feed.Cursor(position: $0) { HTTPRequest($0.method, "/?after=\($1)") } }, position: "a\u{1}b")
        #expect(recording.failure == nil)
        #expect(recording.outline.count { $0 == "feed.not-resumable" } == 1)
        #expect(server.requests.map(\.target) == ["/", "/", "/?after=3"])
    }

    @Test func aRequestThatIsMalformedByItselfFails() async throws {
        let cursor = Feed<Data>.Cursor.header("X-After") { String(decoding: $0, as: UTF8.self) }
        let recorder = FeedRecorder<Data>()
        server.client().lines(
            for: HTTPRequest(.get, "/", headers: ["X-Mine": "a\nb"]), cursor: cursor, options: .immediate
        ).events.subscribe(recorder)
        #expect(try await recorder.finished().failure?.name == "invalid-request.header-value")
    }
}

/// The validators of polls, which a server chooses.
struct PollValidatorTests {
    private let scheduler = TestScheduler()

    /// Returns the second request of a poll whose first response has header fields.
    private func secondRequest(after headers: HTTPHeaders, method: HTTPMethod = .get) async throws -> HTTPHeaders {
        let transport = AnsweringTransport { _, _ in .reply(.ok, headers, "text") }
        let recorder = FeedRecorder<HTTPResponse<Data>>()
        transport.client(scheduler).polls(for: HTTPRequest(method, "/"), every: .seconds(60)).events.subscribe(recorder)
        await scheduler.settle(advancingBy: .seconds(100))
        recorder.cancel()
        let recording = recorder.recording.value
        #expect(recording.completion == nil)
        #expect(recording.elements.map(\.body) == [Data("text".utf8), Data("text".utf8)])
        #expect(recording.elements.first?.headers == headers)
        return try #require(transport.requests.value.last).headers
    }

    @Test(arguments: FeedPositionTests.unsendable + ["*", ""]) func validatorsThatCannotBeSentAreNot(
        text: String
    ) async throws {
        #expect(try await secondRequest(after: ["ETag": text])["If-None-Match"] == nil)
        guard text != "*" else { return }
        #expect(try await secondRequest(after: ["Last-Modified": text])["If-Modified-Since"] == nil)
    }

    @Test func validatorsAreSentWithRequestsThatMayBeConditional() async throws {
        let headers: HTTPHeaders = ["ETag": #""1""#, "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]
        for method in [HTTPMethod.get, .head] {
            let request = try await secondRequest(after: headers, method: method)
            #expect(request["If-None-Match"] == #""1""#)
            #expect(request["If-Modified-Since"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        }
        // A server must refuse such a POST (RFC 9110, section 13.1.2).
        let request = try await secondRequest(after: headers, method: .post)
        #expect(!request.contains("If-None-Match") && !request.contains("If-Modified-Since"))
    }
}
