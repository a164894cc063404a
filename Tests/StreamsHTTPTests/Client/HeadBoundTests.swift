import StreamsHTTP
import StreamsLoopback
import Testing

/// Heads and trailers that do not end, and lengths that are none.
@Suite(.reservesDescriptors) struct HeadBoundTests {
    private static let maxCount = 64 << 20

    /// Answers with a beginning, and with a line again and again, up to 64 MB.
    private func server(_ beginning: String, repeating line: String, _ sent: Watched<Int>) throws -> RawServer {
        try RawServer { connection in
            guard connection.readRequest() != nil, connection.write(beginning) else { return }
            let lines = Array(String(repeating: line, count: max(10_000 / line.utf8.count, 1)).utf8)
            while sent.value < Self.maxCount, connection.write(lines) { sent.update { $0 += lines.count } }
        }
    }

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"

    @Test func endlessFoldedTrailersFail() async throws {
        let sent = Watched(0)
        let line = " \(String(repeating: "x", count: 1000))\r\n"
        let server = try server("\(Self.chunked)a: b\r\n", repeating: line, sent)
        let recording = try await EventRecorder.record(server.client().events(for: HTTPRequest(.get, "/")))
        // libcurl refuses a folded trailer from 8.21 on.
        let reasons = ["transfer.head-too-large", "transfer.protocol-error"]
        #expect(reasons.contains(try #require(recording.failure).reason.outline))
        // The sockets buffer a few megabytes.
        #expect(sent.value < Self.maxCount / 2)
    }

    @Test(
        arguments: [
            RequestOptions.with { $0.headLimits.maxFieldCount = 10 }, .with { $0.headLimits.maxLineSize = 100 },
            .with { $0.headLimits.maxSize = 500 },
        ])
    func limitsAreOptions(options: RequestOptions) async throws {
        let server = try LoopbackServer()
        var (small, fields) = (HeaderFields(), HeaderFields())
        for number in 1...11 {
            if number < 8 { small.append("X-\(number)", "x") }
            fields.append("X-\(number)", String(repeating: "x", count: number * 10))
        }
        server.on("GET", "/small", Reply(headers: small, body: .empty))
        server.on("GET", "/head", Reply(headers: fields, body: .empty))
        server.on("GET", "/trailers", Reply(body: .chunked("a")).with(trailers: fields))
        let client = server.client(options: options)
        #expect(try await client.response(for: HTTPRequest(.get, "/small")).status == .ok)
        for path in ["/head", "/trailers"] {
            let error = try await failure { () throws(HTTPError) in
                try await client.response(for: HTTPRequest(.get, path))
            }
            #expect(error.reason.outline == "transfer.head-too-large")
        }
        let usual = RequestOptions.with {
            $0.headLimits.maxFieldCount = 1000
            $0.headLimits.maxLineSize = 64 * 1024
            $0.headLimits.maxSize = 256 * 1024
        }
        let trailers = try await client.response(for: HTTPRequest(.get, "/trailers", options: usual)).trailers
        #expect(trailers.count == 11)
    }

    /// The memory that is read into has its own limit.
    @Test func aLineIsNeverLongerThanTheBuffer() async throws {
        let line = "X-N: \(String(repeating: "x", count: 20 << 20))\r\n"
        let server = try server("HTTP/1.1 200 OK\r\n", repeating: line, Watched(0))
        let options = RequestOptions.with {
            $0.headLimits.maxFieldCount = .max
            $0.headLimits.maxLineSize = .max
            $0.headLimits.maxSize = .max
        }
        let client = server.client(options: options)
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
        #expect(recording.failure?.reason.outline == "transfer.head-too-large")
    }

    @Test func aThousandShortInformationalHeadsFail() async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1000))
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        let client = server.client()
        let error = try await failure { () throws(HTTPError) in try await client.response(for: HTTPRequest(.get, "/")) }
        #expect(error.reason.outline == "transfer.head-too-large")
    }

    @Test(
        arguments: [
            "99999999999999999999", "9223372036854775808", "+5", "-5", "", "5x", "0x5", "5, 6", "5,",
            "5\r\nContent-Length: 6",
        ])
    func lengthsThatAreNoneAreRefused(value: String) async throws {
        let recording = try await response(length: value)
        #expect(recording.failure?.reason.outline == "transfer.protocol-error")
        #expect(recording.body.isEmpty)
    }

    @Test(arguments: ["5", "05", "5, 5", "5\r\nContent-Length: 5"])
    func equalLengthsAreOne(value: String) async throws {
        let recording = try await response(length: value)
        #expect(recording.failure == nil && recording.body == Data("hello".utf8))
    }

    private func response(length: String) async throws -> EventRecording<Void> {
        let server = try LoopbackServer()
        let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nhello".utf8)
        server.otherwise { _ in Reply().failing(with: .garbage(bytes)) }
        return try await EventRecorder.record(server.client().events(for: HTTPRequest(.get, "/")))
    }
}
