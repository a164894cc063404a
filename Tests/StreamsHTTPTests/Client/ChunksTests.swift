import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// The body of a response alone, and the progress of a request alone.
@Suite(.serialized, .reservesDescriptors) struct ChunksTests {
    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer(limits: LoopbackServer.Limits(recording: 200_000))
        client = server.client()
    }

    @Test func deliversTheWholeBody() async throws {
        server.on("GET", "/", .generated(1 << 20))
        var body = Data()
        for try await chunk in client.chunks(for: HTTPRequest(.get, "/")).values { body.append(chunk) }
        #expect(body == Data(GeneratedBytes.bytes(0..<(1 << 20))))
    }

    @Test func splitsIntoLines() async throws {
        server.on("GET", "/", Reply(body: .chunked("a\nb", .pause(.milliseconds(20)), "c\nd")))
        var lines: [String] = []
        for try await line in client.chunks(for: HTTPRequest(.get, "/")).lines().values { lines.append(line) }
        #expect(lines == ["a", "bc", "d"])
    }

    @Test func requestsNothingWithoutDemand() async throws {
        server.on("GET", "/", .generated(100))
        let recorder = RecordingSubscriber<Data, HTTPError>(initialDemand: .none)
        client.chunks(for: HTTPRequest(.get, "/")).subscribe(recorder)
        #expect(server.requests.isEmpty)
        recorder.request(.max(1))
        try await server.wait { $0.requests.count == 1 }
        recorder.cancel()
    }

    @Test func failsOnAnErrorBeforeTheFirstChunk() async throws {
        server.on("GET", "/", .text("gone", status: 404))
        let values = client.chunks(for: HTTPRequest(.get, "/")).values
        let error = try await failure { () async throws(HTTPError) in
            for try await _ in values { Issue.record("a chunk of an error") }
        }
        #expect(error.status == .notFound && error.response?.body == Data("gone".utf8))
    }

    @Test func progressIsThatOfBothDirections() async throws {
        server.on("POST", "/", .generated(300_000))
        let call = HTTPRequest(.post, "/", body: .data(Data(GeneratedBytes.bytes(0..<200_000))))
        var all: [HTTPRequest.Progress] = []
        for try await progress in client.events(for: call).progress.values { all.append(progress) }
        let last = try #require(all.last)
        #expect(last.direction == .download && last.upload?.completed == 200_000)
        #expect(last.download?.completed == 300_000 && last.fraction == 1)
        #expect(all.first?.direction == .upload && all.first?.download == nil)
        let received = try #require(server.requests.first)
        let isExact = received.bodyCount == 200_000 && GeneratedBytes.matches(received.body, at: 0)
        #expect(isExact)
    }

    @Test func progressOfARetryStartsAnew() async throws {
        server.on("PUT", "/", .text("x", status: 503), .generated(1000))
        let call = HTTPRequest(.put, "/", body: .data(Data(GeneratedBytes.bytes(0..<1000)))).settingOptions {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: .constant(.zero))
            $0.progress = .everyChunk
        }
        var uploads: [Int64] = []
        for try await progress in client.events(for: call).progress.values where progress.direction == .upload {
            uploads.append(progress.upload?.completed ?? -1)
            #expect(progress.download == nil)
        }
        #expect(uploads.filter { $0 == 1000 }.count == 2)
        #expect(server.requests.map(\.body) == [GeneratedBytes.bytes(0..<1000), GeneratedBytes.bytes(0..<1000)])
    }
}
