import StreamsHTTP
import StreamsLoopback
import Testing

/// Bounds on what a server can make a client take in.
@Suite(.serialized, .reservesDescriptors) struct LimitTests {
    private let server: LoopbackServer
    private let client: HTTPClient
    private let bounded = RequestOptions.with { $0.maxBodySize = 100_000 }

    init() throws {
        server = try LoopbackServer()
        client = server.client()
    }

    @Test(arguments: [Reply.Body.Framing.length, .chunked, .untilClose])
    func aBodyThatIsTooLargeIsLeft(framing: Reply.Body.Framing) async throws {
        server.on("GET", "/", .generated(1 << 30, framing: framing))
        let collected = try await EventRecorder.record(client.events(for: Call<Data>(.get, "/", options: bounded)))
        #expect(collected.failure?.reason.outline == "transfer.body-too-large(100000)")
        let delivered = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/", options: bounded)))
        #expect(delivered.failure?.reason.outline == "transfer.body-too-large(100000)")
        #expect(delivered.body.count <= 100_000)
        #expect(GeneratedBytes.matches(delivered.body, at: 0))
        for number in 1...2 { try await server.waitForDisconnection(of: number) }
    }

    @Test func aBodyOfJustTheLimitIsTaken() async throws {
        server.on("GET", "/", .generated(100_000))
        let body = try await client.value(for: Call<Data>(.get, "/", options: bounded))
        #expect(body.count == 100_000 && GeneratedBytes.matches(body, at: 0))
        let delivered = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/", options: bounded)))
        #expect(delivered.body.count == 100_000 && GeneratedBytes.matches(delivered.body, at: 0))
        #expect(delivered.failure == nil)
    }

    @Test(arguments: [0, -1]) func aLimitOfNothingTakesNothing(limit: Int) async throws {
        server.on("GET", "/", .text("much"))
        let options = RequestOptions.with { $0.maxBodySize = limit }
        let collected = try await EventRecorder.record(client.events(for: Call<Data>(.get, "/", options: options)))
        #expect(collected.failure?.reason.outline == "transfer.body-too-large(0)")
        let delivered = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/", options: options)))
        #expect(delivered.failure?.reason.outline == "transfer.body-too-large(0)")
    }

    @Test func theBodyOfAnErrorIsCutAtTheLimit() async throws {
        server.on("GET", "/", Reply(500, body: .generated(1 << 30)))
        let error = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "/", options: bounded))
        }
        #expect(error.status == .internalServerError)
        let body = try #require(error.response?.body)
        #expect(body.count == 100_000 && GeneratedBytes.matches(body, at: 0))
        try await server.waitForDisconnection(of: 1)
    }

    @Test func anErrorKeepsOneMebibyteUnlessMoreIsAskedFor() async throws {
        server.on("GET", "/", Reply(404, body: .generated(3 << 20)))
        let kept = try await failure { () throws(HTTPError) in try await client.response(for: HTTPRequest(.get, "/")) }
        let part = try #require(kept.response?.body)
        #expect(part.count == 1 << 20 && GeneratedBytes.matches(part, at: 0))
        let generous = RequestOptions.with { $0.maxErrorBodySize = 4 << 20 }
        let whole = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "/", options: generous))
        }
        let body = try #require(whole.response?.body)
        #expect(body.count == 3 << 20 && GeneratedBytes.matches(body, at: 0))
        let stingy = RequestOptions.with { $0.maxErrorBodySize = -1 }
        let empty = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "/", options: stingy))
        }
        #expect(empty.response?.body.isEmpty == true)
    }

    /// Also where its status would be taken as it is, were it the last one.
    @Test func aResponseThatIsTriedAgainKeepsNoMoreThanAnErrorDoes() async throws {
        server.on("GET", "/", Reply(503, body: .generated(1 << 30)), .text("well"))
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: Backoff(initial: .zero))
            $0.validation = .acceptAll
        }
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/", options: options)))
        #expect(recording.retries.count == 1)
        let part = try #require(recording.retries.first?.error.response?.body)
        #expect(part.count == 1 << 20 && GeneratedBytes.matches(part, at: 0))
        #expect(recording.body == Data("well".utf8))
        try await server.waitForDisconnection(of: 1)
    }

    @Test func decodedBytesAreCounted() async throws {
        // A thousand bytes on the wire for every one of these megabytes.
        let bomb = Deflate.zeros(megabytes: 8)
        #expect(bomb.count < 100_000)
        server.on("GET", "/", Reply(headers: ["Content-Encoding": "gzip"], body: .bytes(bomb)))
        let error = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "/", options: bounded))
        }
        #expect(error.reason.outline == "transfer.body-too-large(100000)")
    }

    @Test func wireAndDecodedBytesAreCountedApart() async throws {
        let content = Deflate.zeros(megabytes: 1)
        server.on("GET", "/", Reply(headers: ["Content-Encoding": "gzip"], body: .bytes(content)))
        let recording = try await EventRecorder.record(client.events(for: Call<Data>(.get, "/")))
        let last = try #require(recording.downloads.last)
        #expect(last.completed == Int64(content.count))
        #expect(last.total == Int64(content.count))
        #expect(last.decoded == 1 << 20)
        let body = try #require(recording.response?.body)
        #expect(body == Data(count: 1 << 20))
    }

    @Test func contentIsLeftAloneWhereThatIsWanted() async throws {
        let content = Deflate.zeros(megabytes: 1)
        server.on("GET", "/", Reply(headers: ["Content-Encoding": "gzip"], body: .bytes(content)))
        let options = RequestOptions.with { $0.connection.decodesContent = false }
        let response = try await client.response(for: HTTPRequest(.get, "/", options: options))
        #expect(response.body == Data(content))
        #expect(server.requests.first?.headers["Accept-Encoding"] == nil)
    }
}
