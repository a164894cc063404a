import Testing

@testable import StreamsLoopback

/// Requests over HTTP/2, and what is rejected of them.
@Suite(.serialized) struct HTTP2RequestTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer(limits: LoopbackServer.Limits(head: 20_000))
        server.on("GET", "/", .text("hello"))
        server.on("POST", "/", reply: { .text($0.text) })
    }

    @Test func recordsARequest() async throws {
        let client = try RawHTTP2Client(server)
        client.request("GET", "/?q=1", ["x-one": "1", "cookie": "a=b", "cookie": "c=d"])
        let reply = try client.reply()
        #expect(
            reply.heads == [[":status": "200", "content-type": "text/plain; charset=utf-8", "content-length": "5"]])
        #expect(reply.text == "hello")
        #expect(reply.end == .complete)
        let request = try #require(server.requests.first)
        #expect(request.method == "GET")
        #expect(request.target == "/?q=1")
        #expect(request.path == "/")
        #expect(request.query == "q=1")
        #expect(request.version == "HTTP/2")
        #expect(request.stream == 1)
        #expect(request.authority == "localhost")
        #expect(
            request.pseudoHeaders == [":method": "GET", ":scheme": "http", ":path": "/?q=1", ":authority": "localhost"])
        #expect(request.headers == ["x-one": "1", "cookie": "a=b", "cookie": "c=d"])
        #expect(request.isBodyComplete)
        #expect(request.window == 65_535)
    }

    @Test func recordsABodyAndItsTrailers() async throws {
        let client = try RawHTTP2Client(server)
        client.request("POST", "/", ["content-length": "10"], endStream: false)
        client.send(.data(Array("0123".utf8)), .data([], endStream: false))
        // Padding of 3 bytes.
        client.send(.init(type: 0, flags: 0x8, payload: [3] + "456789".utf8 + [0, 0, 0]))
        client.send(.headers(["x-sum": "45"], endStream: true))
        #expect(try client.reply().text == "0123456789")
        #expect(server.requests[0].trailers == ["x-sum": "45"])
        #expect(server.requests[0].bodyCount == 10)
    }

    @Test func servesStreamsAtOnce() async throws {
        let gate = Gate()
        server.on("GET", "/held", Reply.text("late").held(by: gate))
        let client = try RawHTTP2Client(server)
        client.request("GET", "/held", on: 1)
        client.request("GET", "/", on: 3)
        #expect(try client.reply(on: 3).text == "hello")
        #expect(server.requests.map(\.stream) == [1, 3])
        gate.open()
        #expect(try client.reply(on: 1).text == "late")
        client.request("GET", "/", on: 7)
        #expect(try client.reply(on: 7).text == "hello")
        #expect(server.http2Connections.map(\.maxOpenStreams) == [2])
        #expect(server.http2Connections.map(\.openStreams) == [0])
        #expect(server.acceptedConnections == 1)
    }

    @Test func joinsContinuations() throws {
        let client = try RawHTTP2Client(server)
        let block = HPACKEncoder.encode([
            HPACKField(":method".utf8, "GET".utf8), HPACKField(":scheme".utf8, "http".utf8),
            HPACKField(":path".utf8, "/".utf8), HPACKField("x-long".utf8, [UInt8](repeating: 0x61, count: 300)),
        ])
        client.send(
            .headers(block: Array(block.prefix(3)), endStream: true, endHeaders: false),
            .continuation(block: Array(block[3..<100]), endHeaders: false), .continuation(block: Array(block[100...])))
        #expect(try client.reply().text == "hello")
        #expect(server.requests.first?.headers["x-long"] == String(repeating: "a", count: 300))
    }

    @Test func readsThePrefaceByteByByteBesideOtherVersions() throws {
        let old = try RawClient(port: server.port)
        old.send("P")
        let client = try RawClient(port: server.port)
        let settings = http2Frame(4, stream: 0, [])
        for byte in "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8 + settings { client.send([byte]) }
        #expect(client.read(exactly: 18) == settings + http2Frame(4, flags: 1, stream: 0, []))
        old.send("OST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        #expect(old.readText().text.hasSuffix("\r\n\r\nok"))
        #expect(server.requests.map(\.version) == ["HTTP/1.1"])
    }

    @Test func answersTheRouteOfHead() throws {
        let client = try RawHTTP2Client(server)
        client.request("HEAD", "/")
        let reply = try client.reply()
        #expect(reply.headers["content-length"] == "5")
        #expect(reply.body.isEmpty && reply.end == .complete)
        client.request("GET", "/unknown", on: 3)
        #expect(try client.reply(on: 3).status == "404")
    }

    @Test(
        arguments: [
            ([":method": "GET", ":scheme": "http"], "a request without :scheme or :path"),
            ([":method": "GET", ":scheme": "http", ":path": "x"], "a request without :scheme or :path"),
            ([":scheme": "http", ":path": "/"], "a request without :method"),
            ([":method": "GET", ":method": "GET"], "an unknown or repeated field :method"),
            ([":status": "200"], "an unknown or repeated field :status"),
            ([":method": "GET", ":scheme": "http", "x": "1", ":path": "/"], "not a field name: :path"),
            ([":method": "GET", ":scheme": "http", ":path": "/", "X-Upper": "1"], "not a field name: X-Upper"),
            ([":method": "GET", ":scheme": "http", ":path": "/", "x": " 1"], "not a value of x"),
            ([":method": "GET", ":scheme": "http", ":path": "/", "x": "a\u{0}b"], "not a value of x"),
            (
                [":method": "GET", ":scheme": "http", ":path": "/", "connection": "close"],
                "the connection-specific field connection"
            ),
            ([":method": "GET", ":scheme": "http", ":path": "/", "te": "gzip"], "the connection-specific field te"),
            ([":method": "GET", ":scheme": "http", ":path": "/", "content-length": "+1"], "not a length: +1"),
            ([":method": "GET", ":scheme": "http", ":path": "/", "content-length": "1"], "no body, not 1 bytes"),
        ] as [(HeaderFields, String)])
    func resetsTheStreamOfAMalformedRequest(fields: HeaderFields, reason: String) throws {
        let client = try RawHTTP2Client(server)
        client.send(.headers(fields, endStream: true))
        #expect(try client.reply().end == .reset(.protocolError))
        #expect(server.journal.rejections == ["PROTOCOL_ERROR: \(reason)"])
        // Other streams go on.
        client.request("GET", "/", on: 3)
        #expect(try client.reply(on: 3).text == "hello")
        #expect(server.requests.map(\.stream) == [3])
    }

    @Test(arguments: [3, 5])
    func resetsTheStreamOfABodyWithAnotherLength(count: Int) async throws {
        let client = try RawHTTP2Client(server)
        client.request("POST", "/", ["content-length": "4"], endStream: false)
        client.send(.data([UInt8](repeating: 1, count: count), endStream: true))
        #expect(try client.reply().end == .reset(.protocolError))
        try await server.wait { $0.requests.first?.state == .rejected }
        #expect(
            server.journal.rejections == [
                count == 3 ? "PROTOCOL_ERROR: content of 3 bytes, not 4" : "PROTOCOL_ERROR: more content than 4 bytes"
            ])
    }

    typealias Frames = [LoopbackServer.HTTP2Frame]

    @Test(
        arguments: [
            ([.headers(block: [0x80])], .compressionError, "no field has the index 0"),
            ([.headers(block: [], on: .number(2))], .protocolError, "HEADERS on stream 2"),
            ([.continuation(block: [])], .protocolError, "CONTINUATION without HEADERS"),
            (
                [.headers(block: [0x82], endHeaders: false), .ping()], .protocolError,
                "a frame of type 6 within a field block"
            ),
            ([.data([1])], .protocolError, "a frame of type 0 on the idle stream 1"),
            ([.data([1], on: .connection)], .protocolError, "a frame of type 0 on stream 0"),
            ([.windowUpdate(by: 0, on: .connection)], .protocolError, "a WINDOW_UPDATE of 0"),
            ([.windowUpdate(by: 1)], .protocolError, "a frame of type 8 on the idle stream 1"),
            ([.windowUpdate(by: 0x7FFF_FFFF, on: .connection)], .flowControlError, "a window of 2147549182"),
            ([.resetStream(.cancel)], .protocolError, "a frame of type 3 on the idle stream 1"),
            ([.ping([1])], .frameSizeError, "a frame of type 6 with 1 bytes"),
            ([.ping(on: .this)], .protocolError, "a frame of type 6 on stream 1"),
            ([.settings([.init(2, 2)])], .protocolError, "ENABLE_PUSH of 2"),
            ([.settings([.init(4, 0x8000_0000)])], .flowControlError, "INITIAL_WINDOW_SIZE of 2147483648"),
            ([.settings([.init(5, 16_383)])], .protocolError, "MAX_FRAME_SIZE of 16383"),
            ([.init(type: 4, on: .connection, payload: [0])], .frameSizeError, "SETTINGS of 1 bytes"),
            ([.init(type: 2, payload: [0])], .frameSizeError, "a frame of type 2 with 1 bytes"),
            ([.pushPromise([:])], .protocolError, "a PUSH_PROMISE of a client"),
            (
                [.init(type: 0xEE, payload: [UInt8](repeating: 0, count: 16_385))], .frameSizeError,
                "a frame of 16385 bytes, not 16384"
            ),
            (
                [
                    .headers(block: [UInt8](repeating: 0, count: 16_384), endHeaders: false),
                    .continuation(block: [UInt8](repeating: 0, count: 4000)),
                ],
                .enhanceYourCalm, "a field block of more than 20000 bytes"
            ),
            (
                [
                    .headers([":method": "GET", ":scheme": "http", ":path": "/"], endStream: true),
                    .data([1], endStream: true),
                ], .streamClosed, "DATA on the closed stream 1"
            ),
            (
                [
                    .headers([":method": "GET", ":scheme": "http", ":path": "/"], endStream: true, on: .number(3)),
                    .headers([":method": "GET", ":scheme": "http", ":path": "/"], endStream: true, on: .number(1)),
                ], .streamClosed, "HEADERS on the closed stream 1"
            ),
        ] as [(Frames, LoopbackServer.HTTP2ErrorCode, String)])
    func endsTheConnectionOfAMalformedFrame(
        frames: Frames, code: LoopbackServer.HTTP2ErrorCode, reason: String
    ) throws {
        let client = try RawHTTP2Client(server)
        for frame in frames { client.send(frame) }
        let goAway = try #require(try client.frame(ofType: HTTP2FrameType.goAway))
        #expect(Array(goAway.payload[4..<8]) == bigEndian(code.rawValue))
        #expect(decoded(goAway.payload.dropFirst(8)) == reason)
        #expect(client.raw.readAll().end == .orderly)
        #expect(server.journal.rejections == ["\(code): \(reason)"])
    }

    @Test func insistsOnSettingsFirst() throws {
        let client = try RawClient(port: server.port)
        client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        client.send(LoopbackServer.HTTP2Frame.ping().bytes(from: 0))
        #expect(client.readAll().end == .orderly)
        #expect(server.journal.rejections == ["PROTOCOL_ERROR: a frame of type 6 before SETTINGS"])
    }

    @Test func ignoresUnknownFramesAndSettings() throws {
        let client = try RawHTTP2Client(server, settings: [.init(0xABCD, 1)])
        client.send(.init(type: 0xEE, flags: 0xFF, payload: [1]), .priority(on: .number(9)))
        client.request("GET", "/")
        #expect(try client.reply().text == "hello")
        #expect(server.journal.rejections == [])
    }

    @Test func resetsAWebSocket() async throws {
        server.on("GET", "/socket", .webSocket(.echo))
        let client = try RawHTTP2Client(server)
        client.request("GET", "/socket")
        #expect(try client.reply().end == .reset(.http11Required))
        try await server.wait { $0.requests.first?.state == .faulted }
    }
}
