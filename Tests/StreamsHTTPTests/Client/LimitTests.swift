import StreamsHTTP
import StreamsLoopback
import Testing

/// Bounds on what a server can make a client take in.
@Suite(.serialized) struct LimitTests {
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
        #expect(collected.failure?.reason.outline == "bodyTooLarge(100000)")
        let delivered = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/", options: bounded)))
        #expect(delivered.failure?.reason.outline == "bodyTooLarge(100000)")
        #expect(delivered.body.count <= 100_000)
        #expect(GeneratedBytes.matches(delivered.body, at: 0))
        for number in 1...2 { try await server.waitForDisconnection(of: number) }
    }

    @Test func aBodyOfJustTheLimitIsTaken() async throws {
        server.on("GET", "/", .generated(100_000))
        let body = try await client.value(for: Call<Data>(.get, "/", options: bounded))
        #expect(body.count == 100_000)
        let delivered = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/", options: bounded)))
        #expect(delivered.body.count == 100_000 && delivered.failure == nil)
    }

    @Test(arguments: [0, -1]) func aLimitOfNothingTakesNothing(limit: Int) async throws {
        server.on("GET", "/", .text("much"))
        let options = RequestOptions.with { $0.maxBodySize = limit }
        let collected = try await EventRecorder.record(client.events(for: Call<Data>(.get, "/", options: options)))
        #expect(collected.failure?.reason.outline == "bodyTooLarge(0)")
        let delivered = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/", options: options)))
        #expect(delivered.failure?.reason.outline == "bodyTooLarge(0)")
    }

    @Test func theBodyOfAnErrorIsCutAtTheLimit() async throws {
        server.on("GET", "/", Reply(500, body: .generated(1 << 30)))
        let error = try await failure { () throws(HTTPError) in
            try await client.data(for: HTTPRequest(.get, "/", options: bounded))
        }
        #expect(error.status == .internalServerError)
        let body = try #require(error.response?.body)
        #expect(body.count == 100_000 && GeneratedBytes.matches(body, at: 0))
        try await server.waitForDisconnection(of: 1)
    }

    @Test func anErrorKeepsOneMebibyteUnlessMoreIsAskedFor() async throws {
        server.on("GET", "/", Reply(404, body: .generated(3 << 20)))
        let kept = try await failure { () throws(HTTPError) in try await client.data(for: HTTPRequest(.get, "/")) }
        #expect(kept.response?.body.count == 1 << 20)
        let generous = RequestOptions.with { $0.maxErrorBodySize = 4 << 20 }
        let whole = try await failure { () throws(HTTPError) in
            try await client.data(for: HTTPRequest(.get, "/", options: generous))
        }
        #expect(whole.response?.body.count == 3 << 20)
        let stingy = RequestOptions.with { $0.maxErrorBodySize = -1 }
        let empty = try await failure { () throws(HTTPError) in
            try await client.data(for: HTTPRequest(.get, "/", options: stingy))
        }
        #expect(empty.response?.body.isEmpty == true)
    }

    /// Also where its status would be taken as it is, were it the last one.
    @Test func aResponseThatIsTriedAgainKeepsNoMoreThanAnErrorDoes() async throws {
        server.on("GET", "/", Reply(503, body: .generated(1 << 30)), .text("well"))
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: RetryPolicy.Backoff(initial: .zero))
            $0.validation = ResponseValidation.none
        }
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/", options: options)))
        #expect(recording.retries.map { $0.error.response?.body.count } == [1 << 20])
        #expect(recording.body == Data("well".utf8))
        try await server.waitForDisconnection(of: 1)
    }

    @Test func decodedBytesAreCounted() async throws {
        // A thousand bytes on the wire for every one of these megabytes.
        let bomb = Deflate.zeros(megabytes: 8)
        #expect(bomb.count < 100_000)
        server.on("GET", "/", Reply(headers: ["Content-Encoding": "gzip"], body: .bytes(bomb)))
        let error = try await failure { () throws(HTTPError) in
            try await client.data(for: HTTPRequest(.get, "/", options: bounded))
        }
        #expect(error.reason.outline == "bodyTooLarge(100000)")
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
        #expect(body.count == 1 << 20 && body.allSatisfy { $0 == 0 })
    }

    @Test func contentThatCannotBeDecodedIsAnError() async throws {
        server.on("GET", "/", Reply(headers: ["Content-Encoding": "gzip"], body: .text("not at all")))
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
        #expect(recording.failure?.reason.outline == "transfer(undecodableContent)")
    }

    @Test func contentIsLeftAloneWhereThatIsWanted() async throws {
        let content = Deflate.zeros(megabytes: 1)
        server.on("GET", "/", Reply(headers: ["Content-Encoding": "gzip"], body: .bytes(content)))
        let options = RequestOptions.with { $0.connection = ConnectionOptions(decodesContent: false) }
        let response = try await client.data(for: HTTPRequest(.get, "/", options: options))
        #expect(response.body == Data(content))
        #expect(server.requests.first?.headers["Accept-Encoding"] == nil)
    }
}

/// Compressed content, written by hand (RFC 1951 and RFC 1952).
enum Deflate {
    /// Zeros, gzipped: one literal and matches of 258 bytes, one distance back, in the fixed code.
    static func zeros(megabytes: Int) -> [UInt8] {
        let count = megabytes << 20
        var bits = BitWriter()
        bits.write(1, count: 1)
        bits.write(1, count: 2)
        // The literal 0 is 00110000, a length of 258 is 11000101, a distance of one is 00000; codes go first bit first.
        bits.writeCode(0b0011_0000, count: 8)
        var written = 1
        while count - written >= 258 {
            bits.writeCode(0b1100_0101, count: 8)
            bits.writeCode(0, count: 5)
            written += 258
        }
        for _ in written..<count { bits.writeCode(0b0011_0000, count: 8) }
        bits.writeCode(0, count: 7)
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        return header + bits.bytes + littleEndian(checksumOfZeros(count))
            + littleEndian(UInt32(truncatingIfNeeded: count))
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func checksumOfZeros(_ count: Int) -> UInt32 {
        let table = (0..<UInt32(256)).map { index in
            (0..<8).reduce(index) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
        }
        var checksum: UInt32 = 0xFFFF_FFFF
        for _ in 0..<count { checksum = table[Int(checksum & 0xFF)] ^ (checksum >> 8) }
        return ~checksum
    }

    private struct BitWriter {
        private(set) var bytes: [UInt8] = []
        private var used = 8

        /// Writes a number, lowest bit first.
        mutating func write(_ value: Int, count: Int) {
            for bit in 0..<count { append(value >> bit & 1) }
        }

        /// Writes a code of Huffman's, highest bit first.
        mutating func writeCode(_ code: Int, count: Int) {
            for bit in stride(from: count - 1, through: 0, by: -1) { append(code >> bit & 1) }
        }

        private mutating func append(_ bit: Int) {
            if used == 8 {
                bytes.append(0)
                used = 0
            }
            bytes[bytes.count - 1] |= UInt8(bit << used)
            used += 1
        }
    }
}
