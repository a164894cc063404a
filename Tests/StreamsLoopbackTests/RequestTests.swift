import StreamsLoopback
import Testing

/// Parsing, recording and routing of requests, and their sequence on a connection.
@Suite(.serialized) struct RequestTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    @Test func aRequestIsRecordedAsItWasWritten() async throws {
        server.on("PATCH", "/a%20b") { _ in .status(204) }
        let client = try RawClient(port: server.port)
        client.send(request("PATCH", "/a%20b?x=1&y=%2F?z", "X-One: 1", "x-one:\t two  ", "X-Empty:", "X-Name: Zoë"))
        _ = client.readHead()
        let recorded = try #require(server.requests.first)
        #expect(recorded.method == "PATCH")
        #expect(recorded.target == "/a%20b?x=1&y=%2F?z")
        #expect(recorded.path == "/a%20b")
        #expect(recorded.query == "x=1&y=%2F?z")
        #expect(recorded.version == "HTTP/1.1")
        let expected: HeaderFields = [
            "Host": "localhost", "X-One": "1", "x-one": "two", "X-Empty": "", "X-Name": "Zoë",
        ]
        #expect(recorded.headers == expected)
        #expect(recorded.headers["x-ONE"] == "1")
        #expect(recorded.headers.values(of: "X-One") == ["1", "two"])
        #expect(recorded.isBodyComplete)
    }

    @Test func keepsTheBytesOfFields() async throws {
        server.on("POST", "/") { _ in .status(204) }
        let client = try RawClient(port: server.port)
        client.send(
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nX-A:\t caf".utf8 + [0xE9] + " \r\n\r\n".utf8)
        client.send("0\r\nX-B: \u{e9}".utf8 + [0xE9, 0xFF] + "\r\n\r\n".utf8)
        _ = client.readHead()
        let request = try #require(server.requests.first)
        #expect(request.headers[bytes: "x-a"] == "caf".utf8 + [0xE9] && request.headers["X-A"] == "caf\u{e9}")
        #expect(request.trailers[bytes: "X-B"] == "\u{e9}".utf8 + [0xE9, 0xFF])
        #expect(request.headers[bytes: "X-B"] == nil)
    }

    @Test(arguments: [
        ("http://other.example/p?q", "/p", "q"), ("http://other.example", "/", nil), ("*", "*", nil),
        ("/?", "/", ""), ("/to/http://x", "/to/http://x", nil),
    ])
    func theFormsOfATarget(target: String, path: String, query: String?) async throws {
        let client = try RawClient(port: server.port)
        client.send(request("OPTIONS", target))
        _ = client.readHead()
        #expect(server.requests.first?.path == path)
        #expect(server.requests.first?.query == query)
    }

    @Test func anUnknownRouteIsNotFound() throws {
        server.on("GET", "/known", .status(200))
        for line in [request("GET", "/unknown"), request("POST", "/known"), request("GET", "/known/")] {
            let client = try RawClient(port: server.port)
            client.send(line)
            #expect(client.readHead().hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        }
    }

    @Test func aFallbackTakesThePlaceOfNotFound() throws {
        server.otherwise { request in .text("\(request.path) \(request.turn)") }
        let client = try RawClient(port: server.port)
        client.send(request("GET", "/one") + request("GET", "/two", "Connection: close"))
        let text = client.readText().text
        #expect(text.contains("\r\n\r\n/one 1HTTP/1.1 200"))
        #expect(text.hasSuffix("\r\n\r\n/two 2"))
    }

    @Test func repliesComeInTurnAndTheLastRepeats() throws {
        server.on("GET", "/flaky", .status(503), .status(500), .status(200))
        let client = try RawClient(port: server.port)
        var statuses: [String] = []
        for _ in 0..<4 {
            client.send(request("GET", "/flaky"))
            statuses.append(String(client.readHead().dropFirst(9).prefix(3)))
        }
        #expect(statuses == ["503", "500", "200", "200"])
        #expect(server.requests.map(\.turn) == [1, 2, 3, 4])
    }

    @Test func aNewRouteTakesThePlaceOfTheOld() throws {
        server.on("GET", "/", .status(500))
        server.on("GET", "/", .status(201))
        let client = try RawClient(port: server.port)
        client.send(request("GET", "/"))
        #expect(client.readHead().hasPrefix("HTTP/1.1 201 Created\r\n"))
    }

    @Test func pipelinedRequestsAreAnsweredInOrderOnOneConnection() async throws {
        server.on("POST", "/a", reply: { .text("<\($0.text)>") })
        server.on("GET", "/b", Reply.text("b").delayed(by: .milliseconds(10)))
        let client = try RawClient(port: server.port)
        let upload = request("POST", "/a", "Content-Length: 5") + "12345"
        client.send(upload + request("GET", "/b") + upload + request("GET", "/b", "Connection: close"))
        let (text, end) = client.readText()
        let bodies = text.split(separator: "HTTP/1.1 200 OK").map { $0.split(separator: "\r\n\r\n")[1] }
        #expect(bodies == ["<12345>", "b", "<12345>", "b"])
        #expect(end == .orderly)
        #expect(server.requests.map(\.connection) == [1, 1, 1, 1])
        #expect(server.requests.map(\.number) == [1, 2, 3, 4])
        #expect(server.acceptedConnections == 1)
    }

    @Test func trimsValuesThatBeginWithCombiningMark() throws {
        server.on("GET", "/", .text("x"))
        let client = try RawClient(port: server.port)
        client.send(request("GET", "/", "X-Mark: \u{301}a", "Connection: close"))
        _ = client.readText()
        #expect(server.requests.first?.headers["X-Mark"] == "\u{301}a")
    }

    @Test func aRequestMayArriveByteByByte() throws {
        server.on("POST", "/", reply: { .text($0.text) })
        let client = try RawClient(port: server.port)
        let text = request("POST", "/", "Transfer-Encoding: chunked", "Connection: close") + "3\r\nabc\r\n0\r\n\r\n"
        for byte in text.utf8 { client.send([byte]) }
        #expect(client.readText().text.hasSuffix("\r\n\r\nabc"))
    }

    @Test func anHTTP10ConnectionIsKeptOnlyOnRequest() throws {
        server.on("GET", "/", .status(204))
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
        #expect(client.readHead().contains("Connection: keep-alive\r\n"))
        client.send("GET / HTTP/1.0\r\n\r\n")
        #expect(client.readHead().contains("Connection: close\r\n"))
        #expect(client.read().end == .orderly)
    }

    @Test(arguments: [
        ("hello\r\n\r\n", "400"),
        ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", "400"),
        ("G(T / HTTP/1.1\r\nHost: x\r\n\r\n", "400"),
        ("\u{16}\u{3}\u{1}\r\n\r\n", "400"),
        ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", "505"),
        ("GET / HTTP/1.1\nHost: x\n\n", "400"),
        ("GET / HTTP/1.1\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: x\r\nBad Name: y\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: \u{0}\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", "501"),
    ])
    func whatIsNotARequestIsTurnedAway(text: String, status: String) async throws {
        let client = try RawClient(port: server.port)
        client.send(text)
        client.finishSending()
        let (reply, end) = client.readText()
        #expect(reply.hasPrefix("HTTP/1.1 \(status) "))
        #expect(end == .orderly)
        #expect(server.journal.rejections.count == 1)
        #expect(server.requests.isEmpty)
        try await server.wait { $0.openConnections == 0 }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: x\r\nLong: ", "GET /", ""], [70_000, 3_000_000])
    func aHeadTooLongIsTurnedAway(start: String, count: Int) async throws {
        let client = try RawClient(port: server.port)
        client.send(start + String(repeating: "x", count: count))
        let (reply, end) = client.readText()
        #expect(reply.hasPrefix("HTTP/1.1 431 "))
        #expect(end == .orderly)
        #expect(server.journal.rejections == ["431: a head of more than 65536 bytes"])
    }

    @Test(arguments: [
        "zz\r\n", "-1\r\nabc\r\n", "+1\r\na\r\n", "FFFFFFFFFFFFFFFFF\r\n", "1\r\nabc\r\n", "0\r\nbad trailer\r\n\r\n",
    ])
    func aBrokenChunkIsTurnedAway(chunks: String) async throws {
        server.on("POST", "/", .status(200))
        let client = try RawClient(port: server.port)
        client.send(request("POST", "/", "Transfer-Encoding: chunked") + chunks)
        #expect(client.readText().text.hasPrefix("HTTP/1.1 400 "))
        #expect(server.requests.map(\.state) == [.rejected])
        #expect(server.journal.rejections.count == 1)
    }

    @Test(arguments: ["", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\n"])
    func aClientThatLeavesWithinAHeadIsForgotten(text: String) async throws {
        do {
            let client = try RawClient(port: server.port)
            client.send(text)
            try await server.wait { $0.acceptedConnections == 1 }
        }
        let journal = try await server.wait { $0.openConnections == 0 }
        #expect(journal.requests.isEmpty)
        #expect(journal.rejections.isEmpty)
    }

    @Test func aUnixDomainSocketServesToo() async throws {
        let path = "/tmp/streams-loopback-\(UInt64.random(in: 0 ... .max)).socket"
        let server = try LoopbackServer(on: .unixSocket(path: path))
        server.on("GET", "/", .text("local"))
        #expect(server.url("/a") == "http://localhost/a")
        #expect(server.port == 0)
        let client = try RawClient(path: path)
        client.send(request("GET", "/", "Connection: close"))
        #expect(client.readText().text.hasSuffix("\r\n\r\nlocal"))
        #expect(throws: LoopbackError.self) { try LoopbackServer(on: .unixSocket(path: path)) }
        server.stop()
        #expect(throws: RawClient.Failure.self) { try RawClient(path: path) }
        // The path is free again.
        try LoopbackServer(on: .unixSocket(path: path)).stop()
    }

    @Test func aPathTooLongForASocketIsRefused() {
        let path = "/tmp/" + String(repeating: "x", count: 200)
        #expect(throws: LoopbackError.self) { try LoopbackServer(on: .unixSocket(path: path)) }
    }
}
