import StreamsHTTP
import StreamsLoopback
import Testing

/// Violations and floods that end a connection by HTTP/2 with all its streams.
@Suite(.reservesDescriptors) struct ConnectionViolationTests {
    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer()
        server.serveNumberedBodies()
        client = server.http2Client()
    }

    /// Faults of a response, and the code of the GOAWAY that the client sends.
    struct Violation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: LoopbackServer.HTTP2ErrorCode
        let faults: [Fault.HTTP2]
        /// Whether the server goes on to write. Then it may notice the end before it reads the GOAWAY.
        var isFlood: Bool { code == .enhanceYourCalm }

        init(_ name: String, _ code: LoopbackServer.HTTP2ErrorCode = .protocolError, _ faults: [Fault.HTTP2]) {
            testDescription = name
            self.code = code
            self.faults = faults
        }

        init(
            _ name: String, _ code: LoopbackServer.HTTP2ErrorCode = .protocolError,
            _ frames: LoopbackServer.HTTP2Frame...
        ) {
            self.init(name, code, [.frames(frames, at: .beforeHead)])
        }

        /// A flood of frames.
        init(flood name: String, _ frame: LoopbackServer.HTTP2Frame, at place: Fault.Place = .beforeHead) {
            self.init(name, .enhanceYourCalm, [.frames([frame], times: .max, at: place)])
        }
    }

    /// Expects that a violation ends the connection, and that requests go on on another one.
    private func expectEnd(by violation: Violation) async throws {
        var reply = violation.faults.reduce(Reply.generated(1000)) { $0.failing(with: $1) }
        if !violation.isFlood { reply = reply.failing(with: .stall(at: .beforeHead)) }
        server.on("POST", "/", reply)
        server.on("GET", "/body", Reply(body: .chunked("begun", .hold(Gate()))))
        // Frames may be sent for a stream that has ended.
        try await client.expectNumberedBodies(0..<1)
        let other = client.subscribe(HTTPRequest(.get, "/body"))
        try await other.wait(for: "a chunk") { $0.chunkCount == 1 }
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.post, "/")))
        for failed in [recording, try await other.finished()] {
            #expect(failed.failure?.reason.outline == "transfer.protocol-error")
            #expect(failed.http2ErrorCode == Int(violation.code.rawValue) && failed.retries.isEmpty)
        }
        let journal = try await server.wait { $0.http2Connections.first?.isOpen == false }
        let goAways = journal.http2Connections.first?.frames.compactMap { frame in
            if case .goAway(_, let code, _) = frame { code } else { nil }
        }
        #expect(goAways == [violation.code] || violation.isFlood && goAways == [])
        try await client.expectNumberedBodies(0..<3)
        #expect(server.acceptedConnections == 2)
    }

    private static let violations = [
        Violation("a pushed stream", .protocolError, .pushPromise([":method": "GET"])),
        Violation("an enabled push", .protocolError, .settings([.init(2, 1)])),
        Violation("a window that is too large", .flowControlError, .settings([.init(4, 0x8000_0000)])),
        Violation("frames that are too small", .protocolError, .settings([.init(5, 16_383)])),
        Violation("settings of a stream", .protocolError, .settings(on: .this)),
        Violation("a ping of a stream", .protocolError, .ping(on: .this)),
        Violation("a ping with another size", .frameSizeError, .ping([1, 2, 3])),
        Violation("content of the connection", .protocolError, .data([1], on: .connection)),
        Violation("a head of a stream that is not open", .protocolError, .headers([":status": "200"], on: .offset(2))),
        Violation("content of a stream of the server", .protocolError, .data([1], on: .number(2))),
        Violation(
            "a window of the connection that grows by nothing", .protocolError, .windowUpdate(by: 0, on: .connection)),
        Violation(
            "a window of the connection that grows too far", .flowControlError,
            .windowUpdate(by: 0x7FFF_FFFF, on: .connection)),
        Violation("a frame that is too large", .frameSizeError, .data([UInt8](repeating: 0, count: 16_385))),
        Violation("a field block without its beginning", .protocolError, .continuation(block: [0x88])),
        Violation(
            "a field block that is interrupted", .protocolError, .headers(block: [0x88], endHeaders: false), .ping()),
        Violation(
            "a field block that does not decode", .compressionError, .headers(block: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF])),
        Violation("an index that is not in the table", .compressionError, .headers(block: [0x88, 0xFE])),
        Violation(
            "a text of HTTP/1.1", .frameSizeError, [.bytes(Array("HTTP/1.1 200 OK\r\n\r\n".utf8), at: .beforeHead)]),
    ]

    @Test(arguments: violations) func aViolationEndsTheConnection(violation: Violation) async throws {
        try await expectEnd(by: violation)
    }

    private static let floods = [
        Violation(flood: "pings", .ping()), Violation(flood: "settings", .settings()),
        Violation(flood: "acknowledgements", .settingsAcknowledgement),
        Violation(flood: "answers to pings", .ping(isAcknowledgement: true)),
        Violation(flood: "empty content", .data(), at: .inBody(after: 10)),
        Violation(flood: "content of a stream that has ended", .data([], on: .number(1))),
        Violation(flood: "resets", .resetStream(.cancel, on: .number(1))),
        Violation(flood: "priorities", .priority()),
        Violation(flood: "unknown frames", LoopbackServer.HTTP2Frame(type: 0xFA, payload: [1, 2, 3])),
        Violation(flood: "windows", .windowUpdate(by: 1)),
        Violation(flood: "windows of the connection", .windowUpdate(by: 1, on: .connection)),
        Violation(
            "empty parts of a field block", .enhanceYourCalm,
            [
                .frames([.headers(block: [], endHeaders: false)], at: .beforeHead),
                .frames([.continuation(block: [], endHeaders: false)], times: .max, at: .beforeHead),
            ]),
        Violation(
            "parts of a field block", .enhanceYourCalm,
            [
                .frames([.headers(block: [], endHeaders: false)], at: .beforeHead),
                .frames(
                    [.continuation(block: [UInt8](repeating: 0, count: 16_384), endHeaders: false)], times: .max,
                    at: .beforeHead),
            ]),
    ]

    @Test(arguments: floods) func aFloodEndsTheConnection(flood: Violation) async throws {
        try await expectEnd(by: flood)
    }

    /// Frames without work are allowed as long as there is work, too.
    @Test func manyFramesBesideContentAreNoFlood() async throws {
        let pieces = (0..<2000).map { Reply.Body.Piece.bytes(GeneratedBytes.bytes($0 * 100..<($0 + 1) * 100)) }
        let reply = (0..<400).reduce(Reply(body: .init(pieces, framing: .chunked))) { reply, number in
            reply.failing(with: .frames([.ping(), .settings()], at: .inBody(after: number * 500)))
        }
        server.on("GET", "/", reply)
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
        #expect(recording.failure == nil && recording.body == Data(GeneratedBytes.bytes(0..<200_000)))
        #expect(server.acceptedConnections == 1 && server.journal.rejections == [])
    }

    /// Another server than one of HTTP/2.
    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", String(repeating: "\0", count: 9)])
    func anotherProtocolIsAnError(text: String) async throws {
        let server = try RawServer { connection in
            guard connection.read(24).count == 24 else { return }
            connection.write(text)
            while !connection.read(1).isEmpty {}
        }
        let client = server.client(options: .http2())
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
        #expect(recording.failure?.reason.outline == "transfer.protocol-error" && recording.outline == ["attempt 1"])
    }

    @Test func aServerThatSendsNoSettingsFirstIsRefused() async throws {
        var settings = LoopbackServer.HTTP2Settings()
        settings.areSent = false
        let server = try LoopbackServer(http2: settings)
        server.on("GET", "/", .text("hello"))
        let recording = try await EventRecorder.record(server.http2Client().events(for: HTTPRequest(.get, "/")))
        #expect(recording.failure?.reason.outline == "transfer.protocol-error" && recording.http2ErrorCode == 1)
    }
}
