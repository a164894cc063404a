import StreamsLoopback
import Testing

/// The bytes of replies without faults.
@Suite(.serialized) struct ReplyTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func exchange(_ request: String) throws -> String {
        let client = try RawClient(port: server.port)
        client.send(request)
        let (text, end) = client.readText()
        #expect(end == .orderly)
        return text
    }

    @Test func aFixedBodyComesWithItsLength() throws {
        server.on("GET", "/hello", .text("hello"))
        let text = try exchange(request("GET", "/hello", "Connection: close"))
        let expected = """
            HTTP/1.1 200 OK\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: 5\r
            Connection: close\r
            \r
            hello
            """
        #expect(text == expected)
    }

    @Test func headersKeepTheirOrderAndDuplicates() throws {
        let headers: HeaderFields = ["Set-Cookie": "a=1", "x-lower": "1", "Set-Cookie": "b=2", "Connection": "close"]
        server.on("GET", "/", Reply(299, reason: "Odd One", headers: headers))
        let text = try exchange(request("GET", "/"))
        let expected = """
            HTTP/1.1 299 Odd One\r
            Set-Cookie: a=1\r
            x-lower: 1\r
            Set-Cookie: b=2\r
            Connection: close\r
            Content-Length: 0\r
            \r

            """
        #expect(text == expected)
    }

    @Test func sendsTheBytesOfFields() throws {
        let fields = HeaderFields([HeaderFields.Field(name: "X-A", bytes: [0x63, 0xE9])])
        server.on("GET", "/", Reply(headers: fields, body: .chunked("x")).with(trailers: fields))
        let client = try RawClient(port: server.port)
        client.send(request("GET", "/", "Connection: close"))
        let bytes = client.readAll().bytes
        let line = "X-A: c".utf8 + [0xE9, 0x0D, 0x0A]
        #expect(bytes.starts(with: "HTTP/1.1 200 OK\r\n".utf8 + line))
        #expect(bytes.suffix(line.count + 2).elementsEqual(line + [0x0D, 0x0A]))
    }

    @Test func piecesBecomeChunksAndTrailersFollow() throws {
        let reply = Reply(body: .chunked("one", .pause(.milliseconds(1)), .bytes([]), "seventeen letters"))
        server.on("GET", "/", reply.with(trailers: ["X-Sum": "20"]))
        let text = try exchange(request("GET", "/", "Connection: close"))
        let expected = """
            HTTP/1.1 200 OK\r
            Transfer-Encoding: chunked\r
            Connection: close\r
            \r
            3\r
            one\r
            11\r
            seventeen letters\r
            0\r
            X-Sum: 20\r
            \r

            """
        #expect(text == expected)
    }

    @Test func aBodyUntilCloseHasNoLength() throws {
        server.on("GET", "/", Reply(body: .untilClose("all ", "of it")))
        let text = try exchange(request("GET", "/"))
        #expect(text == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it")
    }

    @Test func informationalHeadsComeFirst() throws {
        let link: HeaderFields = ["Link": "</a.css>; rel=preload"]
        server.on("GET", "/", Reply(204).preceded(by: 103, headers: link).preceded(by: 102))
        let text = try exchange(request("GET", "/", "Connection: close"))
        let expected = """
            HTTP/1.1 103 Early Hints\r
            Link: </a.css>; rel=preload\r
            \r
            HTTP/1.1 102 Processing\r
            \r
            HTTP/1.1 204 No Content\r
            Connection: close\r
            \r

            """
        #expect(text == expected)
    }

    @Test(arguments: [Reply.Body.Framing.length, .chunked, .untilClose])
    func headHasTheHeadOfGetAndNoBody(framing: Reply.Body.Framing) throws {
        server.on("GET", "/", Reply(body: Reply.Body(["hello"], framing: framing)))
        let get = try exchange(request("GET", "/", "Connection: close"))
        let head = try exchange(request("HEAD", "/", "Connection: close"))
        #expect(head.hasSuffix("\r\n\r\n"))
        #expect(get.hasPrefix(head))
        #expect(get.utf8.count > head.utf8.count)
    }

    @Test func anHTTP10RequestGetsNoChunksAndIsClosed() throws {
        server.on("GET", "/", Reply(body: .chunked("a", "b")))
        let text = try exchange("GET / HTTP/1.0\r\n\r\n")
        #expect(text == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nab")
    }

    @Test func aReplyWaitsForItsDelayAndItsGate() async throws {
        let gate = Gate()
        server.on("GET", "/", Reply(body: .chunked("a", .hold(gate), "b")).delayed(by: .milliseconds(50)))
        let client = try RawClient(port: server.port)
        let start = ContinuousClock.now
        client.send(request("GET", "/", "Connection: close"))
        _ = client.readHead()
        #expect(ContinuousClock.now - start >= .milliseconds(50))
        #expect(client.read(exactly: 6) == Array("1\r\na\r\n".utf8))
        try await server.wait { $0.requests.first?.state == .waiting }
        #expect(server.requests[0].bytesWritten == 1)
        gate.open()
        #expect(client.readText().text == "1\r\nb\r\n0\r\n\r\n")
    }

    @Test func anOpenGateHoldsNothing() throws {
        let gate = Gate()
        gate.open()
        gate.open()
        server.on("GET", "/", Reply.text("through").held(by: gate))
        #expect(try exchange(request("GET", "/", "Connection: close")).hasSuffix("through"))
    }

    @Test(arguments: [Reply.Body.Framing.length, .untilClose])
    func generatedBytesArriveAsTheyAre(framing: Reply.Body.Framing) async throws {
        let count = 300_000_000
        server.on("GET", "/", .generated(count, framing: framing))
        let client = try RawClient(port: server.port)
        client.send(request("GET", "/"))
        _ = client.readHead()
        let (received, isRight) = client.drain(count) { GeneratedBytes.matches($0, at: $1) }
        #expect(received == count)
        #expect(isRight)
        // The journal may be a moment behind the kernel.
        try await server.wait { $0.bytesWritten == count }
    }

    @Test func aGeneratedBodyContinuesBehindOtherPieces() throws {
        let pieces: [Reply.Body.Piece] = [.generated(100_000), .pause(.milliseconds(1)), .generated(40_000)]
        server.on("GET", "/", Reply(headers: ["Connection": "close"], body: Reply.Body(pieces)))
        let client = try RawClient(port: server.port)
        client.send(request("GET", "/"))
        #expect(client.readHead().contains("Content-Length: 140000\r\n"))
        let bytes = client.readAll().bytes
        #expect(bytes.count == 140_000)
        #expect(GeneratedBytes.matches(bytes, at: 0))
    }

    @Test func generatedBytesTellDifferencesApart() {
        let bytes = GeneratedBytes.bytes(65_000..<66_000)
        #expect(bytes.count == 1000)
        #expect(bytes[521] == GeneratedBytes.byte(at: 65_521))
        #expect(GeneratedBytes.matches(bytes, at: 65_000))
        #expect(!GeneratedBytes.matches(bytes, at: 65_001))
        #expect(!GeneratedBytes.matches(bytes, at: 65_000 + 65_536))
        var broken = bytes
        broken[999] ^= 1
        #expect(!GeneratedBytes.matches(broken, at: 65_000))
    }
}
