import StreamsHTTP
import StreamsLoopback
import Testing

/// Faults on the wire, and the names of their errors.
@Suite(.serialized, .reservesDescriptors) struct FaultTests {
    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer()
        client = server.client()
    }

    /// A fault, the body it strikes, and how the error is told: its reason, and libcurl's code where it has one.
    struct Case: Sendable, CustomTestStringConvertible {
        let fault: Fault
        var framing = Reply.Body.Framing.length
        let reason: String
        var code: Int?
        /// The number of bytes of the body that arrive before; nil if that depends on the moment.
        var bytes: Int?

        var testDescription: String { "\(fault) \(framing)" }
    }

    private static let cases: [Case] = [
        Case(fault: .reset(at: .beforeHead), reason: "transfer.receive-failed", code: Int(ECONNRESET), bytes: 0),
        Case(fault: .reset(at: .inHead(after: 20)), reason: "transfer.receive-failed", code: Int(ECONNRESET), bytes: 0),
        Case(fault: .reset(at: .inBody(after: 500)), reason: "transfer.receive-failed", code: Int(ECONNRESET)),
        Case(
            fault: .reset(at: .inBody(after: 500)), framing: .chunked, reason: "transfer.receive-failed",
            code: Int(ECONNRESET)),
        Case(
            fault: .reset(at: .inBody(after: 500)), framing: .untilClose, reason: "transfer.receive-failed",
            code: Int(ECONNRESET)),
        Case(fault: .close(at: .beforeHead), reason: "transfer.empty-reply", bytes: 0),
        Case(fault: .close(at: .inHead(after: 20)), reason: "transfer.receive-failed", bytes: 0),
        Case(fault: .close(at: .inBody(after: 500)), reason: "transfer.body-ended-early", bytes: 500),
        Case(
            fault: .close(at: .inBody(after: 500)), framing: .chunked, reason: "transfer.body-ended-early",
            bytes: 500),
        Case(fault: .garbage(), reason: "transfer.not-http", bytes: 0),
        Case(fault: .malformedChunkSize(after: 500), framing: .chunked, reason: "transfer.protocol-error"),
        Case(fault: .oversizedHead(bytes: 2 << 20), reason: "transfer.head-too-large", bytes: 0),
    ]

    @Test(arguments: cases)
    func aFaultHasItsName(_ example: Case) async throws {
        let reply = Reply(body: .generated(1000, framing: example.framing)).failing(with: example.fault)
        server.on("GET", "/", reply)
        let delivered = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
        let error = try #require(delivered.failure)
        #expect("\(error.reason.outline)" == example.reason)
        #expect(error.underlying?.code == example.code)
        #expect(GeneratedBytes.matches(delivered.body, at: 0))
        if let bytes = example.bytes { #expect(delivered.body.count == bytes) }
        let collected = try await EventRecorder.record(client.events(for: Call<Data>(.get, "/")))
        #expect(try #require(collected.failure).reason.outline == example.reason)
        #expect(collected.chunkCount == 0)
    }

    @Test func aSlowDripIsNoFault() async throws {
        server.on("GET", "/", .generated(1000).failing(with: .drip(bytes: 1, every: .zero)))
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
        #expect(recording.body.count == 1000 && GeneratedBytes.matches(recording.body, at: 0))
    }

    @Test(arguments: [Fault.Place.beforeHead, .inHead(after: 10), .inBody(after: 10)])
    func aSilentServerIsLeft(place: Fault.Place) async throws {
        server.on("GET", "/", .generated(1000).failing(with: .stall(at: place)))
        let options = RequestOptions.with { $0.timeouts.idle = .milliseconds(50) }
        let recording = try await EventRecorder.record(
            client.events(for: HTTPRequest(.get, "/", options: options)))
        #expect(recording.failure?.reason.outline == "timeout.idle")
        #expect(GeneratedBytes.matches(recording.body, at: 0))
        try await server.waitForDisconnection(of: 1)
    }

    @Test func aConnectionThatTakesTooLongIsGivenUp() async throws {
        let listener = try FullListener()
        let limit = Duration.seconds(1)
        let options = RequestOptions.with { $0.timeouts.connect = limit }
        let start = ContinuousClock.now
        #expect(try await reason(of: HTTPRequest(.get, listener.url, options: options)) == "timeout.connect")
        let elapsed = ContinuousClock.now - start
        // The default is 30 s.
        #expect(elapsed >= limit && elapsed < .seconds(20))
    }

    @Test func anErrorSaysWhichRequestFailed() async throws {
        server.on("PUT", "/a", Reply(body: .empty).failing(with: .reset(at: .beforeHead)))
        let error = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.put, "/a", query: [HTTPQuery.Item("q", "1")]))
        }
        #expect(error.request.method == .put)
        #expect(error.request.url == server.url("/a?q=1"))
        #expect(error.attempt == 1)
        #expect(error.underlying?.domain == "errno")
    }

    @Test func aStatusErrorCarriesTheWholeResponse() async throws {
        server.on("GET", "/", Reply(404, headers: ["X-Why": "gone"], body: .text(#"{"text":"no such thing"}"#)))
        for error in [
            try await failure { () throws(HTTPError) in try await client.response(for: HTTPRequest(.get, "/")) },
            try await failure { () throws(HTTPError) in try await client.value(for: Call<Greeting>(.get, "/")) },
            try #require(try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/"))).failure),
        ] {
            #expect(error.status == .notFound)
            #expect(error.response?.headers["X-Why"] == "gone")
            #expect(error.content(as: Greeting.self) == Greeting(text: "no such thing"))
            #expect(error.content(as: [Int].self) == nil)
        }
    }

    @Test func anUndecodableValueCarriesTheResponse() async throws {
        server.on("GET", "/", .json(#"{"other":1}"#))
        let awaited = try await failure { () throws(HTTPError) in
            try await client.value(for: Call<Greeting>(.get, "/"))
        }
        let streamed = try await EventRecorder.record(client.events(for: Call<Greeting>(.get, "/")))
        for error in [awaited, try #require(streamed.failure)] {
            #expect(error.name == "decoding")
            #expect(error.response.map { String(decoding: $0.body, as: UTF8.self) } == #"{"other":1}"#)
        }
    }

    @Test func whatIsNoErrorIsToldByTheRequest() async throws {
        server.on("GET", "/", .text("gone", status: 410))
        let options = RequestOptions.with { $0.validation = .acceptAll }
        let response = try await client.response(for: HTTPRequest(.get, "/", options: options))
        #expect(response.status == .gone)
        #expect(String(decoding: response.body, as: UTF8.self) == "gone")
    }

    @Test func noTextOfAnErrorShowsCredentials() async throws {
        server.on("GET", "/", .text("no", status: 401))
        let url = server.url("/").replacing("//", with: "//user:passw0rd@")
        var headers: HTTPHeaders = ["Cookie": "passw0rd"]
        headers.add("X-Key", "passw0rd", isSensitive: true)
        let refused = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, url, headers: headers))
        }
        let authorization = try #require(server.requests.first?.headers["Authorization"])
        #expect(authorization == "Basic dXNlcjpwYXNzdzByZA==")
        server.on("GET", "/", Reply(body: .empty).failing(with: .close(at: .beforeHead)))
        let broken = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, url, headers: headers))
        }
        let malformed = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "http://user:passw0rd@a b/"))
        }
        let unsupported = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "ftp://user:passw0rd@host/"))
        }
        let outOfRange = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "http://user:passw0rd@host:99999/"))
        }
        for error in [refused, broken, malformed, unsupported, outOfRange] {
            var dumped = ""
            dump(error, to: &dumped)
            for text in [error.description, String(reflecting: error), "\(error.reason)", dumped] {
                #expect(!text.contains("passw0rd") && !text.contains("dXNlcjpwYXNzdzByZA"), "\(text)")
            }
        }
    }

    private func reason(of request: HTTPRequest) async throws -> String {
        try await failure { () throws(HTTPError) in try await client.response(for: request) }.reason.outline
    }
}
