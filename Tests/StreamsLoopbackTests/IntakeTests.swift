import StreamsLoopback
import Testing

/// Reading of request bodies.
@Suite(.serialized) struct IntakeTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer(limits: LoopbackServer.Limits(recording: 1000, socketBuffers: 16 * 1024))
    }

    @Test func aBodyIsRecordedUpToTheLimitAndCountedWhole() async throws {
        server.on("PUT", "/", reply: { .text("\($0.bodyCount)") })
        let client = try RawClient(port: server.port)
        let count = 3_000_000
        client.send(request("PUT", "/", "Content-Length: \(count)", "Connection: close"))
        client.send(GeneratedBytes.bytes(0..<count))
        #expect(client.readText().text.hasSuffix("\r\n\r\n\(count)"))
        let recorded = try #require(server.requests.first)
        #expect(recorded.body.count == 1000)
        #expect(GeneratedBytes.matches(recorded.body, at: 0))
        #expect(recorded.bodyCount == count)
        #expect(recorded.isBodyComplete)
    }

    @Test func chunksAreJoinedAndTrailersRecorded() async throws {
        server.on("POST", "/", reply: { .text($0.text) })
        let client = try RawClient(port: server.port)
        let chunks = "5;name=value\r\nhello\r\n00a\r\n, world!!!\r\n0\r\nX-Sum: 15\r\nX-Two: 2\r\n\r\n"
        client.send(
            request("POST", "/", "Transfer-Encoding: Chunked") + chunks + request("GET", "/", "Connection: close"))
        let text = client.readText().text
        #expect(text.contains("\r\n\r\nhello, world!!!HTTP/1.1 404 "))
        let recorded = try #require(server.requests.first)
        #expect(recorded.bodyCount == 15)
        #expect(recorded.trailers == ["X-Sum": "15", "X-Two": "2"])
    }

    @Test func theClientIsToldToContinueOnceTheBodyIsWanted() async throws {
        let gate = Gate()
        server.on("POST", "/", intake: .after(gate)) { .text($0.text) }
        let client = try RawClient(port: server.port)
        client.send(request("POST", "/", "Content-Length: 2", "Expect: 100-continue", "Connection: close"))
        try await server.wait { $0.requests.first?.state == .waiting }
        gate.open()
        #expect(client.readHead() == "HTTP/1.1 100 Continue\r\n\r\n")
        client.send("ok")
        #expect(client.readText().text.hasSuffix("\r\n\r\nok"))
    }

    @Test(arguments: [true, false])
    func aFinalReplyTakesThePlaceOfContinue(afterReply: Bool) throws {
        server.on("POST", "/", intake: afterReply ? .afterReply : .never, .status(417))
        let client = try RawClient(port: server.port)
        client.send(request("POST", "/", "Content-Length: 2", "Expect: 100-continue"))
        let (text, end) = client.readText()
        #expect(text.hasPrefix("HTTP/1.1 417 Expectation Failed\r\n"))
        #expect(text.contains("Connection: close\r\n"))
        #expect(end == .orderly)
    }

    @Test func aPacedBodyComesInOverTime() async throws {
        server.on("POST", "/", intake: .paced(bytes: 100, every: .milliseconds(10)), .status(204))
        let client = try RawClient(port: server.port)
        let start = ContinuousClock.now
        let body = GeneratedBytes.bytes(0..<450)
        client.send(Array(request("POST", "/", "Content-Length: 450").utf8) + body)
        #expect(client.readHead().hasPrefix("HTTP/1.1 204 "))
        // Five reads have four pauses between them.
        #expect(ContinuousClock.now - start >= .milliseconds(40))
        #expect(server.requests[0].bodyCount == 450 && server.requests[0].body == body)
    }

    @Test func aReplyMayComeBeforeTheBody() async throws {
        server.on("POST", "/", intake: .afterReply) { .text("\($0.bodyCount)") }
        server.on("GET", "/", .status(204))
        let client = try RawClient(port: server.port)
        client.send(request("POST", "/", "Content-Length: 5"))
        #expect(client.readHead().hasPrefix("HTTP/1.1 200 "))
        #expect(client.read(exactly: 1) == Array("0".utf8))
        #expect(server.requests[0].isBodyComplete == false)
        client.send("12345" + request("GET", "/"))
        #expect(client.readHead().hasPrefix("HTTP/1.1 204 "))
        #expect(server.requests[0].text == "12345")
        #expect(server.acceptedConnections == 1)
    }

    @Test func aBodyThatIsNeverReadHoldsTheClientBack() async throws {
        let gate = Gate()
        server.on("POST", "/", intake: .never, Reply.status(413).held(by: gate))
        let client = try RawClient(port: server.port, patience: 200)
        client.send(request("POST", "/", "Content-Length: 100000000"))
        // The write ends by the client's own time limit, with most of the bytes untaken.
        let sent = client.send([UInt8](repeating: 1, count: 100_000_000))
        #expect(sent < 20_000_000)
        #expect(server.requests[0].bodyCount == 0)
        gate.open()
        #expect(client.readHead().hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
        #expect(client.readAll().end == .reset)
    }

    @Test func anUploadCanBeResetHalfWay() async throws {
        server.on("POST", "/", intake: .first(bytes: 50_000), Reply().failing(with: .reset(at: .beforeHead)))
        let client = try RawClient(port: server.port)
        client.send(request("POST", "/", "Content-Length: 100000"))
        client.send(GeneratedBytes.bytes(0..<60_000))
        #expect(client.readAll().end == .reset)
        #expect(server.requests[0].bodyCount == 50_000)
        #expect(server.requests[0].body == GeneratedBytes.bytes(0..<1000))
        #expect(!server.requests[0].isBodyComplete)
    }

    @Test func aClientThatLeavesWithinItsBodyIsDisconnected() async throws {
        server.on("POST", "/", .status(200))
        do {
            let client = try RawClient(port: server.port)
            client.send(request("POST", "/", "Content-Length: 10") + "123")
            try await server.wait { $0.requests.first?.bodyCount == 3 }
        }
        let recorded = try await server.waitForDisconnection()
        #expect(recorded.text == "123")
        #expect(!recorded.isBodyComplete)
    }
}
