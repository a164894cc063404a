import StreamsHTTP
import StreamsLoopback
import Testing

/// Responses by HTTP/2 that break the rules of their streams (RFC 9113, section 8.1.1), and only of those.
@Suite(.reservesDescriptors) struct MalformedResponseTests {
    private typealias Frame = LoopbackServer.HTTP2Frame

    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer()
        server.serveNumberedBodies()
        client = server.http2Client()
    }

    /// Frames of a response, and their effect.
    struct Response: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let frames: [LoopbackServer.HTTP2Frame]
        var method = HTTPMethod.get
        /// The outline of the failure.
        var reason = "transfer.protocol-error"
        /// The content before the failure.
        var content = ""

        init(
            _ name: String, _ frames: [LoopbackServer.HTTP2Frame], method: HTTPMethod = .get,
            reason: String = "transfer.protocol-error", content: String = ""
        ) {
            testDescription = name
            self.frames = frames
            self.method = method
            self.reason = reason
            self.content = content
        }

        init(_ name: String, head: HeaderFields) {
            self.init(name, [.headers(head)])
        }
    }

    /// Expects that a response fails and its stream is reset, and that the connection is used still.
    private func expectFailure(of response: Response) async throws {
        let frames = Fault.HTTP2.frames(response.frames, at: .beforeHead)
        server.on(response.method.rawValue, "/", Reply.text("hello").failing(with: frames))
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(response.method, "/")))
        #expect(recording.failure?.reason.outline == response.reason)
        #expect(recording.body == Data(response.content.utf8))
        #expect(try await server.waitForReset() == .protocolError)
        try await client.expectNumberedBodies(0..<3)
        #expect(server.acceptedConnections == 1 && server.journal.rejections == [])
    }

    private static let heads = [
        Response("a capital in a name", head: [":status": "200", "X-upper": "1"]),
        Response("an empty name", head: [":status": "200", "": "1"]),
        Response("a blank in a name", head: [":status": "200", "x y": "1"]),
        Response("a colon in a name", head: [":status": "200", "x:y": "1"]),
        Response("Connection", head: [":status": "200", "connection": "close"]),
        Response("Keep-Alive", head: [":status": "200", "keep-alive": "timeout=5"]),
        Response("Proxy-Connection", head: [":status": "200", "proxy-connection": "close"]),
        Response("Transfer-Encoding", head: [":status": "200", "transfer-encoding": "chunked"]),
        Response("Upgrade", head: [":status": "200", "upgrade": "h2c"]),
        Response("a NUL in a value", head: [":status": "200", "x": "a\0b"]),
        Response("a line break in a value", head: [":status": "200", "x": "a\r\nset-cookie: b=c"]),
        Response("no status", head: ["x": "1"]), Response("no field", head: [:]),
        Response("two statuses", head: [":status": "200", ":status": "404"]),
        Response("a late status", head: ["x": "1", ":status": "200"]),
        Response("an unknown pseudo-header field", head: [":status": "200", ":reason": "OK"]),
        Response("a pseudo-header field of requests", head: [":path": "/", ":status": "200"]),
        Response("the status 99", head: [":status": "99"]), Response("the status 0200", head: [":status": "0200"]),
        Response("the status 000", head: [":status": "000"]), Response("the status 600", head: [":status": "600"]),
        Response("a word as status", head: [":status": "abc"]), Response("an empty status", head: [":status": ""]),
        Response("a sign in a status", head: [":status": "+20"]), Response("the status 101", head: [":status": "101"]),
        Response("an informational end", [.headers([":status": "103"], endStream: true)]),
        Response("a length that is none", head: [":status": "200", "content-length": "1x"]),
        Response("a negative length", head: [":status": "200", "content-length": "-1"]),
        Response("two lengths", head: [":status": "200", "content-length": "1", "content-length": "2"]),
    ]

    @Test(arguments: heads) func malformedHeadsFail(response: Response) async throws {
        try await expectFailure(of: response)
    }

    private static let contents = [
        Response("content before the head", [.data(Array("a".utf8)), .headers([":status": "200"])]),
        Response("an end before the head", [.data([], endStream: true)]),
        Response(
            "more content than declared",
            [.headers([":status": "200", "content-length": "3"]), .data(Array("ab".utf8)), .data(Array("cd".utf8))],
            content: "ab"),
        Response(
            "less content than declared",
            [
                .headers([":status": "200", "content-length": "3"]), .data(Array("ab".utf8)),
                .data([], endStream: true),
            ], reason: "transfer.body-ended-early", content: "ab"),
        Response(
            "a head that is the last, with a length",
            [.headers([":status": "200", "content-length": "3"], endStream: true)],
            reason: "transfer.body-ended-early"),
        Response(
            "trailers before the declared length",
            [
                .headers([":status": "200", "content-length": "3"]), .data(Array("ab".utf8)),
                .headers(["x-sum": "1"], endStream: true),
            ], reason: "transfer.body-ended-early", content: "ab"),
        Response("content of HEAD", [.headers([":status": "200"]), .data(Array("a".utf8))], method: .head),
        Response("content of 204", [.headers([":status": "204"]), .data(Array("a".utf8))]),
        Response("a second head", [.headers([":status": "200"]), .headers([":status": "200"])]),
        Response(
            "trailers that do not end the stream", [.headers([":status": "200"]), .headers(["x-sum": "1"])]),
        Response(
            "a status in trailers", [.headers([":status": "200"]), .headers([":status": "200"], endStream: true)]),
        Response(
            "a field of connections in trailers",
            [.headers([":status": "200"]), .headers(["connection": "close"], endStream: true)]),
        Response("a window that grows by nothing", [.headers([":status": "200"]), .windowUpdate(by: 0)]),
    ]

    @Test(arguments: contents) func malformedContentsFail(response: Response) async throws {
        try await expectFailure(of: response)
    }

    @Test func aWindowThatGrowsTooFarResetsItsStream() async throws {
        let frames = [Frame.headers([":status": "200"]), .windowUpdate(by: 0x7FFF_FFFF)]
        server.on("GET", "/", Reply.text("hello").failing(with: .frames(frames, at: .beforeHead)))
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
        #expect(recording.failure?.reason.outline == "transfer.protocol-error")
        #expect(try await server.waitForReset() == .flowControlError)
        try await client.expectNumberedBodies(0..<3)
        #expect(server.acceptedConnections == 1)
    }

    /// Content beyond the window of the stream, while nothing is requested.
    @Test func moreContentThanTheWindowResetsItsStream() async throws {
        let content = GeneratedBytes.bytes(0..<16_384)
        let frames = [Frame.headers([":status": "200"])] + [Frame](repeating: .data(content), count: 200)
        server.on("GET", "/", Reply.text("hello").failing(with: .frames(frames, at: .beforeHead)))
        let recorder = client.subscribe(HTTPRequest(.get, "/"), demand: .max(2))
        #expect(try await server.waitForReset() == .flowControlError)
        recorder.request(.unlimited)
        let recording = try await recorder.finished()
        #expect(recording.failure?.reason.outline == "transfer.protocol-error")
        try await client.expectNumberedBodies(0..<3)
        #expect(server.acceptedConnections == 1)
    }

    // MARK: Allowed, though odd

    private static let oddities = [
        Response(
            "an empty frame", [.headers([":status": "200"]), .data(), .data(Array("hello".utf8), endStream: true)]),
        Response(
            "padding",
            [
                .headers([":status": "200"]),
                LoopbackServer.HTTP2Frame(
                    type: 0, flags: 0x9, payload: [7] + Array("hello".utf8) + [UInt8](repeating: 0xFF, count: 7)),
            ]),
        Response(
            "a head in parts",
            [
                .headers(block: [], endHeaders: false), .continuation(block: [0x88], endHeaders: false),
                .continuation(block: []), .data(Array("hello".utf8), endStream: true),
            ]),
        Response(
            "a head with a priority",
            [
                LoopbackServer.HTTP2Frame(type: 1, flags: 0x24, payload: [0x80, 0, 0, 0, 15, 0x88]),
                .data(Array("hello".utf8), endStream: true),
            ]),
        Response(
            "frames of unknown types",
            [
                LoopbackServer.HTTP2Frame(type: 0xFA, flags: 0xFF, payload: [1, 2, 3]),
                LoopbackServer.HTTP2Frame(type: 0xFB, on: .connection), .headers([":status": "200"]),
                .priority(), .data(Array("hello".utf8), endStream: true),
            ]),
        Response(
            "unknown settings",
            [
                .settings([.init(0xFFFF, 1), .init(6, 100)]), .headers([":status": "200"]),
                .data(Array("hello".utf8), endStream: true),
            ]),
        Response(
            "blanks around a value",
            [
                .headers([":status": "200", "content-length": " 5\t"]), .data(Array("hello".utf8), endStream: true),
            ]),
        Response(
            "a repeated length",
            [
                .headers([":status": "200", "content-length": "5", "content-length": "5"]),
                .data(Array("hello".utf8), endStream: true),
            ]),
    ]

    /// The reply that follows the frames is one on a stream that has ended.
    @Test(arguments: oddities) func allowsOddities(response: Response) async throws {
        server.on("GET", "/", Reply.text("late").failing(with: .frames(response.frames, at: .beforeHead)))
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
        #expect(recording.failure == nil && recording.body == Data("hello".utf8))
        try await client.expectNumberedBodies(0..<3)
        #expect(server.acceptedConnections == 1 && server.journal.rejections == [])
    }

    @Test func answersPings() async throws {
        let payload: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        let frames = [Frame.ping(payload), .ping([8, 7, 6, 5, 4, 3, 2, 1], isAcknowledgement: true)]
        server.on("GET", "/", Reply.text("hello").failing(with: .frames(frames, at: .beforeHead)))
        #expect(try await client.response(for: HTTPRequest(.get, "/")).body == Data("hello".utf8))
        try await server.wait { $0.http2Connections.first?.frames.contains(.pingAcknowledgement(payload)) == true }
    }
}
