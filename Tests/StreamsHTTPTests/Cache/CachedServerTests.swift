import StreamsLoopback
import StreamsTesting
import Testing

@testable import StreamsHTTP

/// Requests through a cache to a server on a socket.
@Suite(.reservesDescriptors) struct CachedServerTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func client(_ cache: HTTPCache) -> HTTPClient {
        var configuration = HTTPClient.Configuration(baseURL: URL(string: server.url("")))
        configuration.cache = cache
        return HTTPClient(configuration: configuration, transport: CurlTransport())
    }

    private static func body(_ count: Int) -> Data { Data(GeneratedBytes.bytes(0..<count)) }

    /// Another process would find the same.
    @Test func aFolderServesTheNextClient() async throws {
        server.on("GET", "/a") { _ in
            var reply = Reply.generated(3_000_001)
            reply.headers = ["Cache-Control": "max-age=3600"]
            return reply
        }
        let folder = try ScratchFolder()
        for round in 1...2 {
            let client = client(try HTTPCache(path: folder.path + "/cache", maxSize: 64 << 20))
            let response = try await client.response(for: HTTPRequest(.get, "/a"))
            #expect(response.body == Self.body(3_000_001))
            #expect(response.cacheStatus?.isHit == (round == 2))
            await client.configuration.cache?.synchronize()
        }
        #expect(server.requests.count == 1)
        #expect(server.acceptedConnections == 1)
    }

    @Test func aValidatedResponseNeedsNoBody() async throws {
        server.on("GET", "/a") { request in
            if request.headers["If-None-Match"] == "\"1\"" { return .status(304, headers: ["ETag": "\"1\""]) }
            var reply = Reply.generated(100_000)
            reply.headers = ["ETag": "\"1\"", "Cache-Control": "no-cache"]
            return reply
        }
        let client = client(HTTPCache(maxMemory: 8 << 20))
        for _ in 1...3 {
            let response = try await client.response(for: HTTPRequest(.get, "/a"))
            #expect(response.body == Self.body(100_000))
        }
        #expect(server.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\"", "\"1\""])
    }

    /// Each connection breaks after a third of what is missing.
    @Test(arguments: [false, true]) func aBodyIsCompletedPieceByPiece(isOnDisk: Bool) async throws {
        let total = 3_000_003
        server.on("GET", "/a") { request in
            let offset = request.headers["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
            #expect((offset > 0) == (request.headers["If-Range"] == "\"1\""))
            var reply = Reply(offset > 0 ? 206 : 200, body: .bytes(GeneratedBytes.bytes(offset..<total)))
            reply.headers = ["ETag": "\"1\"", "Cache-Control": "max-age=3600"]
            if offset > 0 { reply.headers.append("Content-Range", "bytes \(offset)-\(total - 1)/\(total)") }
            let rest = total - offset
            return rest < 1_000_000 ? reply : reply.failing(with: .close(at: .inBody(after: rest / 3)))
        }
        let folder = try ScratchFolder()
        let client = client(
            try isOnDisk ? HTTPCache(path: folder.path + "/cache", maxSize: 64 << 20) : HTTPCache(maxMemory: 64 << 20))
        for attempt in 1...3 {
            let error = try await failure { () throws(HTTPError) in
                try await client.response(for: HTTPRequest(.get, "/a"))
            }
            #expect(error.reason.name == "transfer.body-ended-early", "attempt \(attempt)")
            await client.configuration.cache?.synchronize()
        }
        for isHit in [false, true] {
            let response = try await client.response(for: HTTPRequest(.get, "/a"))
            #expect(response.status == .ok && response.body == Self.body(total))
            #expect(response.cacheStatus?.isHit == isHit)
            await client.configuration.cache?.synchronize()
        }
        #expect(server.requests.count == 4)
    }

    /// The stored body is the decoded one, and so is that of each use.
    @Test func storesTheDecodedBody() async throws {
        let headers: HeaderFields = ["Content-Encoding": "gzip", "Cache-Control": "max-age=60"]
        server.on("GET", "/a", Reply(headers: headers, body: .bytes(EncodedText.gzip.bytes)))
        let client = client(HTTPCache(maxMemory: 8 << 20))
        for isHit in [false, true] {
            let response = try await client.response(for: HTTPRequest(.get, "/a"))
            #expect(String(decoding: response.body, as: UTF8.self) == String(decoding: EncodedText.text, as: UTF8.self))
            #expect(response.cacheStatus?.isHit == isHit)
            #expect(!response.headers.contains("Content-Encoding"))
        }
    }

    /// Ten thousand requests of two users, some of which are cancelled.
    @Test func nobodyGetsTheResponseOfAnother() async throws {
        server.otherwise { request in
            var reply = Reply.text("\(request.headers["Authorization"] ?? "nobody") \(request.target)")
            reply.headers = ["Cache-Control": "max-age=1, stale-while-revalidate=1", "ETag": "\"\(request.target)\""]
            return reply
        }
        let client = client(HTTPCache(maxMemory: 100_000))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<20 {
                group.addTask {
                    for number in 0..<500 {
                        let (user, path) = (["A", "B"][number % 2], "/\((worker * 31 + number) % 40)")
                        let request = HTTPRequest(.get, path, headers: ["Authorization": user])
                        let task = Task { try await client.response(for: request) }
                        if number % 50 == worker { task.cancel() }
                        guard let response = try? await task.value else { continue }
                        #expect(String(decoding: response.body, as: UTF8.self) == "\(user) \(path)")
                    }
                }
            }
            try await group.waitForAll()
        }
        let statistics = try #require(client.snapshot.cache)
        #expect(statistics.hits > 5000)
        #expect(statistics.bytes <= 100_000)
    }
}
