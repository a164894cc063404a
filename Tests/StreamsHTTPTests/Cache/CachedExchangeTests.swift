import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// Single exchanges through a cache, whose server and receiver are a test's.
struct CachedExchangeTests {
    private let exchanges = CachedExchanges()
    private var server: CachedExchanges.Server { exchanges.server }

    /// Bytes that show which of them was moved, lost or doubled.
    private static func body(_ count: Int) -> Data { CachedExchanges.body(count) }

    @Test(arguments: [false, true]) func deliversUnderDemand(isOnDisk: Bool) async throws {
        let folder = try ScratchFolder()
        let cache =
            isOnDisk ? try HTTPCache(path: folder.path + "/cache", maxSize: 64 << 20) : HTTPCache(maxMemory: 64 << 20)
        let body = Self.body(1_000_003)
        try await exchanges.store(body, in: cache)
        let (exchange, recorder) = try exchanges.start(cache, window: 100_000)
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
        let (_, recorder) = try exchanges.start(cache)
        try server[0].receiver.receive(exchanges.head(["Cache-Control": "max-age=60"]))
        try server[0].receiver.receive(.chunk(Self.body(1000), received: 1000))
        try server[0].receiver.receive(.failed(TransportFailure(.transfer(.bodyEndedEarly))))
        #expect(recorder.recording.value.failure != nil)
        #expect(cache.statistics.entries == 0)
        let (second, _) = try exchanges.start(cache)
        try server[1].receiver.receive(exchanges.head(["Cache-Control": "max-age=60"]))
        try server[1].receiver.receive(.chunk(Self.body(1000), received: 1000))
        second.abort()
        #expect(try server[1].exchange.abortCount.value == 1)
        try server[1].receiver.receive(.finished)
        #expect(cache.statistics.entries == 0)
        _ = try exchanges.start(cache)
        #expect(server.count == 3)
    }

    @Test func asksTheServerOnceForRequestsThatMissTogether() throws {
        let cache = HTTPCache(maxMemory: 1 << 20)
        let all = try (0..<10).map { _ in try exchanges.start(cache).1 }
        #expect(server.count == 1)
        try server[0].receiver.receive(exchanges.head(["Cache-Control": "max-age=60"]))
        try server[0].receiver.receive(.chunk(Self.body(1000), received: 1000))
        #expect(all[1].recording.value.events.isEmpty)
        try server[0].receiver.receive(.finished)
        for recorder in all {
            #expect(recorder.recording.value.body == Self.body(1000))
            #expect(recorder.recording.value.isFinished)
        }
        #expect(
            all.map { $0.recording.value.head?.cacheStatus?.isCollapsed } == [false] + Array(repeating: true, count: 9))
    }

    @Test func asksForEachIfTheResponseIsNotStored() throws {
        let cache = HTTPCache(maxMemory: 1 << 20)
        let all = try (0..<3).map { _ in try exchanges.start(cache).1 }
        try server[0].receiver.receive(exchanges.head(["Cache-Control": "no-store"]))
        #expect(server.count == 3)
        for number in 1...2 {
            try server[number].receiver.receive(exchanges.head(["Cache-Control": "no-store"]))
            try server[number].receiver.receive(.chunk(Self.body(number), received: Int64(number)))
            try server[number].receiver.receive(.finished)
        }
        #expect(all[1].recording.value.body == Self.body(1))
        #expect(all[2].recording.value.body == Self.body(2))
    }

    @Test func anotherAsksIfTheFirstIsAborted() throws {
        let cache = HTTPCache(maxMemory: 1 << 20)
        let all = try (0..<3).map { _ in try exchanges.start(cache) }
        all[1].0.abort()
        all[0].0.abort()
        #expect(server.count == 2)
        try server[1].receiver.receive(exchanges.head(["Cache-Control": "max-age=60"]))
        try server[1].receiver.receive(.finished)
        #expect(all[2].1.recording.value.isFinished)
        #expect(all[0].1.recording.value.events.isEmpty)
        #expect(all[1].1.recording.value.events.isEmpty)
    }

    /// The body of a stream comes as its subscriber asks for it, which others need not wait for.
    @Test func nobodyWaitsForAStream() throws {
        let cache = HTTPCache(maxMemory: 1 << 20)
        _ = try exchanges.start(cache, usesBackpressure: true)
        _ = try exchanges.start(cache)
        #expect(server.count == 2)
    }

    @Test func validatesOnceInTheBackground() async throws {
        let cache = HTTPCache(maxMemory: 1 << 20)
        let headers: HTTPHeaders = ["Cache-Control": "max-age=60, stale-while-revalidate=60", "ETag": "\"a\""]
        try await exchanges.store(Self.body(1000), in: cache, headers)
        exchanges.date.update { $0 += 61 }
        let all = try (0..<3).map { _ in try exchanges.start(cache).1 }
        #expect(server.count == 2)
        #expect(try server[1].isInBackground)
        #expect(try server[1].request.headers["If-None-Match"] == "\"a\"")
        for recorder in all { #expect(recorder.recording.value.body == Self.body(1000)) }
        try server[1].receiver.receive(exchanges.head(headers, status: .notModified))
        try server[1].receiver.receive(.finished)
        exchanges.date.update { $0 += 59 }
        #expect(try exchanges.start(cache).1.recording.value.head?.cacheStatus?.isStale == false)
        #expect(server.count == 2)
    }

    @Test func readsABodyInTheBackgroundWithoutASubscriber() async throws {
        let cache = HTTPCache(maxMemory: 8 << 20)
        let headers: HTTPHeaders = ["Cache-Control": "max-age=60, stale-while-revalidate=60"]
        try await exchanges.store(Self.body(1000), in: cache, headers)
        exchanges.date.update { $0 += 61 }
        _ = try exchanges.start(cache)
        try server[1].receiver.receive(exchanges.head(["Cache-Control": "max-age=60"]))
        try server[1].receiver.receive(.chunk(Self.body(500_000), received: 500_000))
        #expect(try server[1].exchange.allowed.value == 500_000)
        try server[1].receiver.receive(.finished)
        let stored = try exchanges.start(cache).1.recording.value.body
        #expect(stored.prefix(256 * 1024) == Self.body(500_000).prefix(256 * 1024))
    }

    @Test func takesDamageForAMiss() async throws {
        let folder = try ScratchFolder()
        let cache = try HTTPCache(path: folder.path + "/cache", maxSize: 64 << 20)
        let body = Self.body(300_000)
        try await exchanges.store(body, in: cache)
        try CachedExchanges.damage(bodyIn: folder.path + "/cache", at: 10)
        let (_, recorder) = try exchanges.start(cache)
        try await server.exchanges.wait(for: "the request") { $0.count == 2 }
        try server[1].receiver.receive(exchanges.head(["Cache-Control": "max-age=60"]))
        try server[1].receiver.receive(.chunk(Data(body.reversed()), received: 300_000))
        try server[1].receiver.receive(.finished)
        #expect(try await recorder.ended().body == Data(body.reversed()))
    }

    @Test func failsABodyThatIsDamagedAfterItsBeginning() async throws {
        let folder = try ScratchFolder()
        let cache = try HTTPCache(path: folder.path + "/cache", maxSize: 64 << 20)
        let body = Self.body(300_000)
        try await exchanges.store(body, in: cache)
        try CachedExchanges.damage(bodyIn: folder.path + "/cache", at: 250_000)
        let (exchange, recorder) = try exchanges.start(cache)
        exchange.allow(bytes: 300_000)
        let recording = try await recorder.ended()
        #expect(recording.failure?.reason.name == "transfer.body-ended-early")
        #expect(recording.body == body.prefix(recording.body.count))
        #expect(recording.body.count >= 196_608)
        _ = try exchanges.start(cache)
        try await server.exchanges.wait(for: "the request") { $0.count == 2 }
    }
}
