import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// Single exchanges through a cache, whose server and receiver are a test's.
struct CachedExchangeTests {
    /// A server whose responses a test delivers, one event after another.
    private final class Server: Sendable {
        struct Exchange: Sendable {
            let request: TransportRequest
            let receiver: any TransportReceiver
            let isInBackground: Bool
            let exchange = ScriptedExchange()
        }

        let exchanges = Watched<[Exchange]>([])

        func start(
            _ request: TransportRequest, _ receiver: any TransportReceiver, isInBackground: Bool
        ) -> any TransportExchange {
            let exchange = Exchange(request: request, receiver: receiver, isInBackground: isInBackground)
            exchanges.update { $0.append(exchange) }
            return exchange.exchange
        }

        subscript(index: Int) -> Exchange {
            get throws { try #require(exchanges.value.dropFirst(index).first) }
        }
        var count: Int { exchanges.value.count }
    }

    private let server = Server()
    private let date = Watched(Date(timeIntervalSince1970: 1_000_000_000))

    /// Starts an exchange.
    private func start(
        _ cache: HTTPCache, path: String = "/a", window: Int = 256 * 1024, usesBackpressure: Bool = false
    ) throws -> (CachedExchange, TransportRecorder) {
        let url = try #require(URL(string: "http://h\(path)"))
        let request = TransportRequest(method: .get, url: url, usesBackpressure: usesBackpressure, window: window)
        let recorder = TransportRecorder()
        let exchange = CachedExchange(
            request, cache, now: { [date] in date.value }, delivering: recorder
        ) { [server] in server.start($0, $1, isInBackground: $2) }
        exchange.begin()
        return (exchange, recorder)
    }

    private func head(_ headers: HTTPHeaders, status: HTTPStatus = .ok) throws -> TransportEvent {
        .head(HTTPResponse(status: status, headers: headers, body: (), url: try #require(URL(string: "http://h/a"))))
    }

    /// Bytes that show which of them was moved, lost or doubled.
    private func body(_ count: Int) -> Data { Data(GeneratedBytes.bytes(0..<count)) }

    /// Stores a response.
    private func store(_ body: Data, in cache: HTTPCache, _ headers: HTTPHeaders = ["Cache-Control": "max-age=60"])
        async throws
    {
        let count = server.count
        _ = try start(cache)
        let receiver = try #require(await server.exchanges.wait(for: "the request") { $0.count > count }.last).receiver
        receiver.receive(try head(headers))
        var rest = body
        while !rest.isEmpty {
            let piece = rest.prefix(50_000)
            rest = rest.dropFirst(piece.count)
            receiver.receive(.chunk(Data(piece), received: Int64(body.count - rest.count)))
        }
        receiver.receive(.finished)
        await cache.synchronize()
    }

    @Test(arguments: [false, true]) func deliversUnderDemand(isOnDisk: Bool) async throws {
        let folder = try ScratchFolder()
        let cache =
            isOnDisk ? try HTTPCache(path: folder.path + "/cache", maxSize: 64 << 20) : HTTPCache(maxMemory: 64 << 20)
        let body = body(1_000_003)
        try await store(body, in: cache)
        let (exchange, recorder) = try start(cache, window: 100_000)
        try await recorder.recording.wait(for: "the window") { $0.body.count >= 100_000 }
        var allowed = 100_000
        while !recorder.recording.value.isOver {
            #expect(recorder.recording.value.body == body.prefix(allowed))
            allowed = min(allowed + 70_001, body.count)
            exchange.allow(bytes: 70_001)
            try await recorder.recording.wait(for: "the bytes") { [allowed] in
                $0.body.count >= allowed && (allowed < body.count || $0.isOver)
            }
        }
        let recording = recorder.recording.value
        #expect(recording.body == body)
        #expect(recording.isFinished)
        #expect(recording.problems.isEmpty)
        #expect(server.count == 1)
    }

    @Test func storesNothingThatIsIncomplete() throws {
        let cache = HTTPCache(maxMemory: 1 << 20)
        let (_, recorder) = try start(cache)
        try server[0].receiver.receive(head(["Cache-Control": "max-age=60"]))
        try server[0].receiver.receive(.chunk(body(1000), received: 1000))
        try server[0].receiver.receive(.failed(TransportFailure(.transfer(.bodyEndedEarly))))
        #expect(recorder.recording.value.failure != nil)
        #expect(cache.statistics.entries == 0)
        let (second, _) = try start(cache)
        try server[1].receiver.receive(head(["Cache-Control": "max-age=60"]))
        try server[1].receiver.receive(.chunk(body(1000), received: 1000))
        second.abort()
        #expect(try server[1].exchange.abortCount.value == 1)
        try server[1].receiver.receive(.finished)
        #expect(cache.statistics.entries == 0)
        _ = try start(cache)
        #expect(server.count == 3)
    }

    @Test func asksTheServerOnceForRequestsThatMissTogether() throws {
        let cache = HTTPCache(maxMemory: 1 << 20)
        let all = try (0..<10).map { _ in try start(cache).1 }
        #expect(server.count == 1)
        try server[0].receiver.receive(head(["Cache-Control": "max-age=60"]))
        try server[0].receiver.receive(.chunk(body(1000), received: 1000))
        #expect(all[1].recording.value.events.isEmpty)
        try server[0].receiver.receive(.finished)
        for recorder in all {
            #expect(recorder.recording.value.body == body(1000))
            #expect(recorder.recording.value.isFinished)
        }
        #expect(
            all.map { $0.recording.value.head?.cacheStatus?.isCollapsed } == [false] + Array(repeating: true, count: 9))
    }

    @Test func asksForEachIfTheResponseIsNotStored() throws {
        let cache = HTTPCache(maxMemory: 1 << 20)
        let all = try (0..<3).map { _ in try start(cache).1 }
        try server[0].receiver.receive(head(["Cache-Control": "no-store"]))
        #expect(server.count == 3)
        for number in 1...2 {
            try server[number].receiver.receive(head(["Cache-Control": "no-store"]))
            try server[number].receiver.receive(.chunk(body(number), received: Int64(number)))
            try server[number].receiver.receive(.finished)
        }
        #expect(all[1].recording.value.body == body(1))
        #expect(all[2].recording.value.body == body(2))
    }

    @Test func anotherAsksIfTheFirstIsAborted() throws {
        let cache = HTTPCache(maxMemory: 1 << 20)
        let all = try (0..<3).map { _ in try start(cache) }
        all[1].0.abort()
        all[0].0.abort()
        #expect(server.count == 2)
        try server[1].receiver.receive(head(["Cache-Control": "max-age=60"]))
        try server[1].receiver.receive(.finished)
        #expect(all[2].1.recording.value.isFinished)
        #expect(all[0].1.recording.value.events.isEmpty)
        #expect(all[1].1.recording.value.events.isEmpty)
    }

    /// The body of a stream comes as its subscriber asks for it, which others need not wait for.
    @Test func nobodyWaitsForAStream() throws {
        let cache = HTTPCache(maxMemory: 1 << 20)
        _ = try start(cache, usesBackpressure: true)
        _ = try start(cache)
        #expect(server.count == 2)
    }

    @Test func validatesOnceInTheBackground() async throws {
        let cache = HTTPCache(maxMemory: 1 << 20)
        let headers: HTTPHeaders = ["Cache-Control": "max-age=60, stale-while-revalidate=60", "ETag": "\"a\""]
        try await store(body(1000), in: cache, headers)
        date.update { $0 += 61 }
        let all = try (0..<3).map { _ in try start(cache).1 }
        #expect(server.count == 2)
        #expect(try server[1].isInBackground)
        #expect(try server[1].request.headers["If-None-Match"] == "\"a\"")
        for recorder in all { #expect(recorder.recording.value.body == body(1000)) }
        try server[1].receiver.receive(head(headers, status: .notModified))
        try server[1].receiver.receive(.finished)
        date.update { $0 += 59 }
        #expect(try start(cache).1.recording.value.head?.cacheStatus?.isStale == false)
        #expect(server.count == 2)
    }

    @Test func readsABodyInTheBackgroundWithoutASubscriber() async throws {
        let cache = HTTPCache(maxMemory: 8 << 20)
        try await store(body(1000), in: cache, ["Cache-Control": "max-age=60, stale-while-revalidate=60"])
        date.update { $0 += 61 }
        _ = try start(cache)
        try server[1].receiver.receive(head(["Cache-Control": "max-age=60"]))
        try server[1].receiver.receive(.chunk(body(500_000), received: 500_000))
        #expect(try server[1].exchange.allowed.value == 500_000)
        try server[1].receiver.receive(.finished)
        #expect(try start(cache).1.recording.value.body.prefix(256 * 1024) == body(500_000).prefix(256 * 1024))
    }

    @Test func takesDamageForAMiss() async throws {
        let folder = try ScratchFolder()
        let cache = try HTTPCache(path: folder.path + "/cache", maxSize: 64 << 20)
        let body = body(300_000)
        try await store(body, in: cache)
        try damage(bodyIn: folder.path + "/cache", at: 10)
        let (_, recorder) = try start(cache)
        try await server.exchanges.wait(for: "the request") { $0.count == 2 }
        try server[1].receiver.receive(head(["Cache-Control": "max-age=60"]))
        try server[1].receiver.receive(.chunk(Data(body.reversed()), received: 300_000))
        try server[1].receiver.receive(.finished)
        #expect(try await recorder.ended().body == Data(body.reversed()))
    }

    @Test func failsABodyThatIsDamagedAfterItsBeginning() async throws {
        let folder = try ScratchFolder()
        let cache = try HTTPCache(path: folder.path + "/cache", maxSize: 64 << 20)
        let body = body(300_000)
        try await store(body, in: cache)
        try damage(bodyIn: folder.path + "/cache", at: 250_000)
        let (exchange, recorder) = try start(cache)
        exchange.allow(bytes: 300_000)
        let recording = try await recorder.ended()
        #expect(recording.failure?.reason.name == "transfer.body-ended-early")
        #expect(recording.body == body.prefix(recording.body.count))
        #expect(recording.body.count >= 196_608)
        _ = try start(cache)
        try await server.exchanges.wait(for: "the request") { $0.count == 2 }
    }

    /// Changes a byte of the largest file.
    private func damage(bodyIn folder: String, at offset: Int) throws {
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { "\(folder)/\($0)" } ?? []
        let path = try #require(files.max { size(of: $0) < size(of: $1) })
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[offset] ^= 1
        // In place, as a new file would have other rights.
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.write(contentsOf: bytes)
        try file.close()
    }

    private func size(of path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }
}
