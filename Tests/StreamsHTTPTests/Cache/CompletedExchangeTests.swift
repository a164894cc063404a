import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// Incomplete responses, which are stored and completed by a range (RFC 9111, section 3.4).
struct CompletedExchangeTests {
    private static let total = 1_000_003
    private static let partSize = 300_000
    private static let body = CachedExchanges.body(total)
    private static let headers: HTTPHeaders = [
        "Cache-Control": "max-age=60", "ETag": "\"1\"", "Content-Length": "\(total)", "X-Old": "a",
    ]
    private static let rest: HTTPHeaders = [
        "Cache-Control": "max-age=90", "ETag": "\"1\"", "Content-Range": "bytes \(partSize)-\(total - 1)/\(total)",
        "Content-Length": "\(total - partSize)", "Content-Digest": "sha-256=:a:", "X-New": "b",
    ]
    /// The failure of a connection that ends early.
    private static let failure = TransportEvent.failed(TransportFailure(.transfer(.bodyEndedEarly)))

    private let exchanges = CachedExchanges()
    private var server: CachedExchanges.Server { exchanges.server }

    private func cache(isOnDisk: Bool, in folder: ScratchFolder) throws -> HTTPCache {
        try isOnDisk ? HTTPCache(path: folder.path + "/cache", maxSize: 64 << 20) : HTTPCache(maxMemory: 64 << 20)
    }

    /// Stores the beginning of a response.
    private func storePart(in cache: HTTPCache, _ headers: HTTPHeaders = headers) async throws {
        _ = try exchanges.start(cache)
        let exchange = try await request(1)
        exchange.receiver.receive(try exchanges.head(headers))
        exchange.send(Self.body.prefix(Self.partSize))
        exchange.receiver.receive(Self.failure)
        await cache.synchronize()
    }

    /// Waits for a request to the server.
    private func request(_ count: Int) async throws -> CachedExchanges.Server.Exchange {
        try #require(await server.exchanges.wait(for: "request \(count)") { $0.count >= count }.last)
    }

    @Test(arguments: [false, true]) func completesAPartUnderDemand(isOnDisk: Bool) async throws {
        let folder = try ScratchFolder()
        let cache = try cache(isOnDisk: isOnDisk, in: folder)
        try await storePart(in: cache)
        #expect(cache.statistics.entries == 1)
        let (exchange, recorder) = try exchanges.start(cache, window: 100_000)
        let request = try await request(2)
        #expect(
            request.request.headers == [
                "Range": "bytes=300000-", "If-Range": "\"1\"", "Accept-Encoding": "identity",
            ])
        request.receiver.receive(try exchanges.head(Self.rest, status: .partialContent))
        // The server may be faster than the disk, within the window of the request.
        request.send(Self.body.dropFirst(Self.partSize).prefix(100_000))
        var (sent, allowed) = (100_000, 100_000)
        while !recorder.recording.value.isOver {
            let due = min(allowed, Self.partSize + sent)
            try await recorder.recording.wait(for: "the bytes") { [due] in $0.body.count >= due }
            #expect(recorder.recording.value.body == Self.body.prefix(recorder.recording.value.body.count))
            // A piece of the server is delivered as a whole.
            #expect(recorder.recording.value.body.count < allowed + 50_000)
            exchange.allow(bytes: 50_000)
            allowed += 50_000
            let serverAllowance = max(0, allowed - 100_000 - Self.partSize)
            try await request.exchange.allowed.wait(for: "the allowance") { $0 == serverAllowance }
            let restSize = Self.total - Self.partSize
            guard allowed - Self.partSize > sent, sent < restSize else { continue }
            request.send(Self.body.dropFirst(Self.partSize + sent).prefix(50_000))
            sent += 50_000
            if sent >= restSize { request.receiver.receive(.finished) }
        }
        let recording = recorder.recording.value
        #expect(recording.body == Self.body)
        #expect(recording.isFinished && recording.problems.isEmpty)
        let head = try #require(recording.head)
        #expect(head.status == .ok && head.headers["Content-Length"] == "\(Self.total)")
        #expect(head.headers["Content-Range"] == nil && head.headers["Content-Digest"] == nil)
        #expect(head.headers["X-Old"] == "a" && head.headers["X-New"] == "b")
        #expect(head.cacheStatus?.description == "Streams; fwd=partial; fwd-status=206; ttl=90; stored")
        await cache.synchronize()
        let (next, whole) = try exchanges.start(cache)
        next.allow(bytes: Self.total)
        #expect(try await whole.ended().body == Self.body)
        #expect(whole.recording.value.head?.cacheStatus?.isHit == true)
        #expect(server.count == 2)
    }

    @Test func anotherRepresentationReplacesThePart() async throws {
        let cache = HTTPCache(maxMemory: 64 << 20)
        try await storePart(in: cache)
        let (_, recorder) = try exchanges.start(cache)
        try server[1].receiver.receive(exchanges.head(["Cache-Control": "max-age=60", "ETag": "\"2\""]))
        let other = Data(CachedExchanges.body(1000).reversed())
        try server[1].send(other)
        try server[1].receiver.receive(.finished)
        #expect(recorder.recording.value.body == other)
        #expect(try exchanges.start(cache).1.recording.value.body == other)
        #expect(server.count == 2)
    }

    @Test(
        arguments: [
            ["ETag": "\"2\""], ["ETag": "W/\"1\""], ["Content-Range": "bytes 300001-1000002/1000003"],
            ["Content-Range": "bytes 300000-1000002/1000004"], ["Content-Range": "bytes 300000-999999/1000003"],
            ["Content-Range": "bytes 300000-1000002/*"], ["Content-Length": "1"], ["Content-Encoding": "gzip"],
        ] as [HTTPHeaders])
    func anotherPartIsNotAppended(change: HTTPHeaders) async throws {
        let cache = HTTPCache(maxMemory: 64 << 20)
        try await storePart(in: cache)
        let (_, recorder) = try exchanges.start(cache)
        var headers = Self.rest
        for field in change { headers.set(field) }
        try server[1].receiver.receive(exchanges.head(headers, status: .partialContent))
        #expect(try server[1].exchange.abortCount.value == 1)
        #expect(try server[2].request.headers.isEmpty)
        try server[2].receiver.receive(exchanges.head(Self.headers))
        try server[2].send(Self.body)
        try server[2].receiver.receive(.finished)
        #expect(recorder.recording.value.body == Self.body)
    }

    @Test func aRangeOutOfBoundsIsRequestedAgainAsAWhole() async throws {
        let cache = HTTPCache(maxMemory: 64 << 20)
        try await storePart(in: cache)
        _ = try exchanges.start(cache)
        try server[1].receiver.receive(exchanges.head(["Content-Range": "bytes */10"], status: .rangeNotSatisfiable))
        #expect(try server[2].request.headers.isEmpty)
    }

    /// The part grows with each attempt, also with one that is cancelled.
    @Test func aLongerPartReplacesAShorterOne() async throws {
        let cache = HTTPCache(maxMemory: 64 << 20)
        try await storePart(in: cache)
        let (exchange, _) = try exchanges.start(cache)
        exchange.allow(bytes: Self.total)
        try server[1].receiver.receive(exchanges.head(Self.rest, status: .partialContent))
        try server[1].send(Self.body.dropFirst(Self.partSize).prefix(100_000))
        exchange.abort()
        #expect(try server[1].exchange.abortCount.value == 1)
        let (second, _) = try exchanges.start(cache)
        #expect(try server[2].request.headers["Range"] == "bytes=400000-")
        // Before all of the stored part has been delivered.
        try server[2].receiver.receive(Self.failure)
        second.abort()
        _ = try exchanges.start(cache)
        #expect(try server[3].request.headers["Range"] == "bytes=400000-")
    }

    @Test(arguments: [(-1, "transfer.body-ended-early"), (1, "transfer.protocol-error")])
    func aRestOfAnotherLengthFails(difference: Int, name: String) async throws {
        let cache = HTTPCache(maxMemory: 64 << 20)
        try await storePart(in: cache)
        let (exchange, recorder) = try exchanges.start(cache)
        exchange.allow(bytes: 2 * Self.total)
        try server[1].receiver.receive(exchanges.head(Self.rest, status: .partialContent))
        try server[1].send(CachedExchanges.body(Self.total + difference).dropFirst(Self.partSize))
        try server[1].receiver.receive(.finished)
        #expect(recorder.recording.value.failure?.reason.name == name)
        // Nothing beyond the announced bytes is delivered.
        let body = recorder.recording.value.body
        #expect(body.count < Self.total && body == Self.body.prefix(body.count))
        _ = try exchanges.start(cache)
        #expect(try server[2].request.headers.isEmpty)
    }

    @Test func aDamagedPartIsRequestedAsAWhole() async throws {
        let folder = try ScratchFolder()
        let cache = try cache(isOnDisk: true, in: folder)
        try await storePart(in: cache)
        try CachedExchanges.damage(bodyIn: folder.path + "/cache", at: 10)
        let (_, recorder) = try exchanges.start(cache)
        let request = try await request(2)
        request.receiver.receive(try exchanges.head(Self.rest, status: .partialContent))
        request.send(Self.body.dropFirst(Self.partSize))
        let whole = try await self.request(3)
        #expect(request.exchange.abortCount.value == 1)
        #expect(whole.request.headers.isEmpty)
        whole.receiver.receive(try exchanges.head(Self.headers))
        whole.send(Self.body)
        whole.receiver.receive(.finished)
        #expect(try await recorder.ended().body == Self.body)
    }

    /// Parts that no range can complete.
    @Test(
        arguments: [
            ["ETag": "W/\"1\""], ["ETag": "1"], ["Accept-Ranges": "none"], ["Content-Length": "\(partSize)"],
        ] as [HTTPHeaders])
    func otherPartsAreNotStored(change: HTTPHeaders) async throws {
        let cache = HTTPCache(maxMemory: 64 << 20)
        var headers = Self.headers
        for field in change { headers.set(field) }
        try await storePart(in: cache, headers)
        #expect(cache.statistics.entries == 0)
    }

    @Test func aPartDoesNotReplaceAWholeResponse() async throws {
        let cache = HTTPCache(maxMemory: 64 << 20)
        try await exchanges.store(Self.body, in: cache, Self.headers)
        exchanges.date.update { $0 += 61 }
        _ = try exchanges.start(cache)
        try server[1].receiver.receive(exchanges.head(["Cache-Control": "max-age=60", "ETag": "\"2\""]))
        try server[1].send(Self.body.prefix(Self.partSize))
        try server[1].receiver.receive(Self.failure)
        _ = try exchanges.start(cache)
        #expect(try server[2].request.headers["If-None-Match"] == "\"1\"")
    }
}
