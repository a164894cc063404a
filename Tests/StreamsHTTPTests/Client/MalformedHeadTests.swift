import StreamsHTTP
import StreamsLoopback
import Testing

/// Heads that libcurl lets pass as they are.
@Suite(.reservesDescriptors) struct MalformedHeadTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private var client: HTTPClient {
        server.client(
            options: .with {
                $0.retry = RetryPolicy(maxRetries: 3, backoff: Backoff(initial: .zero))
                $0.timeouts.idle = .seconds(20)
                $0.timeouts.total = .seconds(60)
            })
    }

    /// More follows than a window has room for.
    @Test(
        arguments: [
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\n\r\n",
            "HTTP/1.1 200OK\r\nContent-Length: 50003968\r\n\r\n", "HTTP/1.1 200\tOK\r\n\r\n",
            "HTTP/1.1 200OK\r\nHTTP/1.1 200 OK\r\n\r\n",
        ])
    func aHeadThatIsNoneFailsAtOnce(head: String) async throws {
        let bytes = Array(head.utf8) + Array(repeating: UInt8(ascii: "x"), count: 2 << 20)
        server.otherwise { _ in Reply().failing(with: .garbage(bytes)) }
        let collected = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "/"))
        }
        #expect(collected.reason.outline == "transfer.not-http" && collected.attempt == 1)
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
        #expect(recording.failure?.reason.outline == "transfer.not-http")
        #expect(recording.outline == ["attempt 1"] && server.requests.count == 2)
    }

    /// Also if a field of the request asks for it.
    @Test(arguments: [[:], ["Upgrade": "other", "Connection": "Upgrade"]] as [HTTPHeaders])
    func anotherProtocolIsNotWaitedFor(headers: HTTPHeaders) async throws {
        let gate = Gate()
        server.otherwise { _ in .text("late").preceded(by: 101, headers: ["Upgrade": "other"]).held(by: gate) }
        let error = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "/", headers: headers))
        }
        #expect(error.reason.outline == "transfer.not-http" && server.requests.count == 1)
        #expect(error.description.hasSuffix(": the server switched to other"))
        gate.open()
    }

    @Test func aFieldMayBeginAsAStatusLineDoes() async throws {
        server.otherwise { _ in Reply(headers: ["X-Before": "1", "HTTP": "z"], body: .text("hello")) }
        let response = try await client.response(for: HTTPRequest(.get, "/"))
        #expect(response.status == .ok && response.body == Data("hello".utf8))
        #expect(response.headers["X-Before"] == "1" && response.headers["HTTP"] == "z")
    }

    /// A slash is in no name (RFC 9110, section 5.1).
    @Test func aStatusLineIsNoField() async throws {
        server.otherwise { _ in Reply(headers: ["X-Before": "1", "HTTP/evil": "z"], body: .text("hello")) }
        let error = try await failure { () throws(HTTPError) in try await client.response(for: HTTPRequest(.get, "/")) }
        #expect(error.reason.outline == "transfer.protocol-error")
    }
}
