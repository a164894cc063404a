import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// Requests and responses by HTTP/2, as both sides see them.
@Suite(.reservesDescriptors) struct HTTP2MessageTests {
    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer()
        client = server.http2Client()
    }

    // MARK: Requests

    @Test func sendsTheRequestInPseudoHeaderFields() async throws {
        server.on("GET", "/a%20b", .text("hello"))
        let response = try await client.response(for: HTTPRequest(.get, "/a%20b?q=%C3%A9#part"))
        #expect(response.version == .http2 && response.status == .ok && response.reasonPhrase == "")
        let request = try #require(server.requests.first)
        #expect(request.method == "GET" && request.target == "/a%20b?q=%C3%A9" && request.version == "HTTP/2")
        #expect(request.pseudoHeaders.map(\.name) == [":method", ":scheme", ":authority", ":path"])
        #expect(request.pseudoHeaders[":scheme"] == "http" && request.authority == "127.0.0.1:\(server.port)")
    }

    /// A field that belongs to a connection by HTTP/1.1, or that is sent in another way, and the fields that are
    /// received instead.
    struct HopField: Sendable, CustomTestStringConvertible {
        let fields: [(String, String)]
        let received: [String: String]

        var testDescription: String { "\(fields)" }

        init(_ fields: [(String, String)], _ received: [String: String] = [:]) {
            self.fields = fields
            self.received = received
        }
    }

    private static let hopFields = [
        HopField([("Connection", "close")]), HopField([("Connection", "X-Hop, X-Other"), ("X-Hop", "1")]),
        HopField([("Keep-Alive", "timeout=5")]), HopField([("Proxy-Connection", "keep-alive")]),
        HopField([("Connection", "Upgrade"), ("Upgrade", "h2c")]), HopField([("HTTP2-Settings", "AAMAAABk")]),
        HopField([("TE", "gzip")]), HopField([("TE", "trailers")], ["te": "trailers"]),
        HopField([("TE", "gzip, trailers;q=0.5, trailers")], ["te": "trailers"]),
        HopField([("X-Kept", "1")], ["x-kept": "1"]),
    ]

    @Test(arguments: hopFields) func sendsNoFieldsOfAConnection(field: HopField) async throws {
        server.on("GET", "/", .text("hello"))
        var headers = HTTPHeaders()
        for (name, value) in field.fields { headers.add(name, value) }
        _ = try await client.response(for: HTTPRequest(.get, "/", headers: headers))
        let request = try #require(server.requests.first)
        let sent = [
            "connection", "keep-alive", "proxy-connection", "upgrade", "http2-settings", "te", "x-hop", "x-kept",
        ]
        let received = sent.reduce(into: [:]) { $0[$1] = request.headers[$1] }
        #expect(received == field.received && server.journal.rejections == [])
    }

    @Test func sendsTheHostAsTheAuthority() async throws {
        server.on("GET", "/", .text("hello"))
        _ = try await client.response(for: HTTPRequest(.get, "/", headers: ["Host": "name.example:81"]))
        let request = try #require(server.requests.first)
        #expect(request.authority == "name.example:81" && request.headers["Host"] == nil)
    }

    @Test func sendsNamesInLowerCaseAndBytesAsTheyAre() async throws {
        server.on("GET", "/", .text("hello"))
        let bytes: [UInt8] = [0x63, 0xE9, 0x20, 0xFF]
        var request = HTTPRequest(.get, "/", headers: ["X-Upper-Case": "Value", "X-Many": "1"])
        request.headers.add("x-many", "2")
        request.headers[bytes: "X-Bytes"] = bytes
        _ = try await client.response(for: request)
        let headers = try #require(server.requests.first).headers
        #expect(headers.allSatisfy { $0.name == $0.name.lowercased() })
        #expect(headers["x-upper-case"] == "Value" && headers.values(of: "x-many") == ["1", "2"])
        #expect(headers[bytes: "x-bytes"] == bytes)
    }

    @Test func sendsLargeHeads() async throws {
        server.on("GET", "/", .text("hello"))
        let values = (0..<10).map { String(repeating: "\($0)", count: 5000) }
        var headers = HTTPHeaders()
        for (number, value) in values.enumerated() { headers.add("X-\(number)", value) }
        for _ in 0..<2 { _ = try await client.response(for: HTTPRequest(.get, "/", headers: headers)) }
        for request in server.requests { #expect((0..<10).map { request.headers["X-\($0)"] } == values) }
        #expect(server.requests.count == 2 && server.journal.rejections == [])
    }

    /// The tables of both sides stay equal, whatever size the server allows.
    @Test(arguments: [nil, 0, 64, 4096, 1 << 20] as [UInt32?])
    func keepsTheTableThatTheServerAllows(size: UInt32?) async throws {
        let server = try LoopbackServer(http2: .init(headerTableSize: size))
        server.otherwise { .text($0.headers["X-Number"] ?? "none") }
        let client = server.http2Client()
        for number in 0..<60 {
            let headers: HTTPHeaders = ["X-Number": "\(number / 2)", "X-Padding": String(repeating: "p", count: 50)]
            let response = try await client.response(for: HTTPRequest(.get, "/", headers: headers))
            #expect(response.body == Data("\(number / 2)".utf8))
        }
        #expect(server.acceptedConnections == 1 && server.journal.rejections == [])
    }

    /// A field is never indexed (RFC 7541, section 7.1): its representation begins with four bits of 0001.
    @Test func neverIndexesSensitiveFields() async throws {
        let heads = Watched<[[UInt8]]>([])
        let server = try RawServer { connection in
            guard connection.acceptHTTP2() else { return }
            while let frame = connection.readFrame() {
                guard frame.type == RawConnection.FrameType.headers.rawValue else { continue }
                heads.update { $0.append(frame.payload) }
                connection.writeFrame(.headers, flags: 0x5, stream: frame.stream, [0x88])
            }
        }
        let client = server.client(options: .http2())
        var headers: HTTPHeaders = ["Authorization": "Bearer secret", "X-Plain": String(repeating: "a1", count: 40)]
        headers.add("X-Key", "confidential", isSensitive: true)
        for _ in 0..<2 { _ = try await client.response(for: HTTPRequest(.get, "/", headers: headers)) }
        try #require(heads.value.count == 2)
        var name: [UInt8] = []
        HuffmanCode.encode(Array("x-key".utf8), to: &name)
        for head in heads.value {
            // The name is that of index 23 of the static table, which has more than four bits.
            #expect(head.firstRange(of: [0x1F, 0x08]) != nil)
            #expect(head.firstRange(of: [0x10, 0x80 | UInt8(name.count)] + name) != nil)
        }
        // The plain field is in the table after the first request.
        #expect(heads.value[1].count < heads.value[0].count - 40)
    }

    // MARK: Responses

    @Test func deliversTrailers() async throws {
        var reply = Reply(body: .chunked("text")).with(trailers: ["X-Sum": "1", "X-Sum": "2"])
        reply.headers.append("Trailer", "X-Sum")
        server.on("GET", "/", reply)
        server.on("GET", "/empty", Reply(body: .chunked()).with(trailers: ["X-Sum": "3"]))
        let response = try await client.response(for: HTTPRequest(.get, "/"))
        #expect(response.body == Data("text".utf8) && response.headers["Trailer"] == "X-Sum")
        #expect(response.trailers.filter { $0.name == "x-sum" }.map(\.value) == ["1", "2"])
        let empty = try await client.response(for: HTTPRequest(.get, "/empty"))
        #expect(empty.body.isEmpty && empty.trailers["X-Sum"] == "3")
    }

    @Test func passesOverInformationalHeads() async throws {
        let reply = Reply.text("hello").preceded(by: 103, headers: ["Link": "</a>; rel=preload"]).preceded(by: 102)
        server.on("GET", "/", reply)
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
        #expect(recording.outline == ["attempt 1", "head 200", "response 200"])
        #expect(recording.body == Data("hello".utf8) && recording.head?.headers["Link"] == nil)
    }

    @Test func endlessInformationalHeadsAreRefused() async throws {
        let frame = LoopbackServer.HTTP2Frame.headers([":status": "103"])
        server.on("GET", "/", Reply.text("hello").failing(with: .frames([frame], times: 150, at: .beforeHead)))
        server.serveNumberedBodies()
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
        #expect(recording.failure?.reason.outline == "transfer.head-too-large")
        try await client.expectNumberedBodies(0..<2)
        #expect(server.acceptedConnections == 1)
    }

    @Test(arguments: [("HEAD", 200), ("HEAD", 404), ("GET", 204), ("GET", 304), ("POST", 205), ("GET", 200)])
    func responsesWithoutContentAreComplete(method: String, status: Int) async throws {
        let hasLength = method == "HEAD" || status == 304
        var reply = Reply(status, headers: ["ETag": "\"1\""])
        if hasLength { reply.headers.append("Content-Length", "1000") }
        server.on(method, "/", reply)
        server.serveNumberedBodies()
        let request = HTTPRequest(HTTPMethod(rawValue: method), "/").settingOptions { $0.validation = .acceptAll }
        let response = try await client.response(for: request)
        #expect(response.status.code == status && response.body.isEmpty && response.headers["ETag"] == "\"1\"")
        if hasLength { #expect(response.headers["Content-Length"] == "1000") }
        try await client.expectNumberedBodies(0..<2)
        #expect(server.acceptedConnections == 1 && server.http2Connections.first?.resets == [:])
    }

    @Test func largeHeadsAreReceived() async throws {
        let values = (0..<6).map { String(repeating: "\($0)", count: 8000) }
        var headers = HeaderFields()
        for (number, value) in values.enumerated() { headers.append("X-\(number)", value) }
        server.on("GET", "/", Reply(headers: headers, body: .text("hello")))
        let request = HTTPRequest(.get, "/").settingOptions { $0.headLimits.maxSize = 100_000 }
        let response = try await client.response(for: request)
        #expect((0..<6).map { response.headers["X-\($0)"] } == values && response.body == Data("hello".utf8))
    }

    @Test func headsThatAreTooLargeResetTheirStream() async throws {
        server.on("GET", "/", Reply.text("hello").failing(with: .oversizedHead(bytes: 100_000)))
        server.serveNumberedBodies()
        let request = HTTPRequest(.get, "/").settingOptions { $0.headLimits.maxSize = 20_000 }
        let recording = try await EventRecorder.record(client.events(for: request))
        #expect(recording.failure?.reason.outline == "transfer.head-too-large")
        #expect(try await server.waitForReset() == .cancel)
        // The table of fields is the one of both sides still.
        try await client.expectNumberedBodies(0..<3)
        #expect(server.acceptedConnections == 1)
    }

    // MARK: Requests in turn

    @Test func followsRedirectsOnTheConnection() async throws {
        server.on("POST", "/from", .redirect(to: "/next", status: 307))
        server.on("POST", "/next", .redirect(to: "/to", status: 303))
        server.on("GET", "/to", .text("hello"))
        let response = try await client.response(for: HTTPRequest(.post, "/from", body: .text("content")))
        #expect(response.body == Data("hello".utf8) && response.url.absoluteString == server.url("/to"))
        #expect(
            server.requests.map { "\($0.method) \($0.path) \($0.text)" } == [
                "POST /from content", "POST /next content", "GET /to ",
            ])
        #expect(server.requests.map(\.stream) == [1, 3, 5] && server.acceptedConnections == 1)
    }

    @Test func sendsCookiesBack() async throws {
        let client = client.configuring { $0.cookies = CookieJar() }
        server.on("GET", "/set", Reply(headers: ["Set-Cookie": "a=1; Path=/", "Set-Cookie": "b=2; Path=/"]))
        server.on("GET", "/get", .text("hello"))
        for target in ["/set", "/get"] { _ = try await client.response(for: HTTPRequest(.get, target)) }
        // A request may have several fields (RFC 9113, section 8.2.3).
        let sent = try #require(server.requests.last).headers.values(of: "Cookie").joined(separator: "; ")
        #expect(sent == "a=1; b=2" && server.acceptedConnections == 1)
    }

    @Test func retriesOnTheConnection() async throws {
        server.on("PUT", "/", .text("busy", status: 503), .text("busy", status: 503), .text("done"))
        let content = GeneratedBytes.bytes(0..<10_000)
        let request = HTTPRequest(.put, "/", body: .data(Data(content))).settingOptions {
            $0.retry = RetryPolicy(maxRetries: 3, backoff: .constant(.zero))
        }
        let recording = try await EventRecorder.record(client.events(for: request))
        #expect(
            recording.outline == [
                "attempt 1", "head 503", "retrying", "attempt 2", "head 503", "retrying", "attempt 3", "head 200",
                "response 200",
            ])
        #expect(recording.body == Data("done".utf8))
        let areExact = server.requests.map(\.body) == [content, content, content]
        #expect(areExact && server.acceptedConnections == 1)
    }

    /// RFC 8441 is not spoken: a WebSocket has a connection of its own.
    @Test func aWebSocketHasAConnectionByHTTP1() async throws {
        server.on("GET", "/text", .text("hello"))
        server.on("GET", "/socket", .webSocket())
        #expect(try await client.response(for: HTTPRequest(.get, "/text")).version == .http2)
        let recorder = SocketRecorder(of: client.webSocket(for: HTTPRequest(.get, server.url("/socket"))))
        let socket = try await recorder.socket()
        #expect(server.requests.map(\.version) == ["HTTP/2", "HTTP/1.1"])
        try await socket.close()
        try await recorder.finished()
    }
}
