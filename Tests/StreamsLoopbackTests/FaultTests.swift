import StreamsLoopback
import Testing

/// Each way for a reply to go wrong, as a client sees it.
@Suite(.serialized) struct FaultTests {
    private let server: LoopbackServer
    /// The head of the reply below.
    private let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
    private let reply = Reply(body: .text("0123456789"))

    init() throws {
        server = try LoopbackServer()
    }

    /// Returns the bytes that a client receives of a reply with a fault, and their end.
    private func outcome(
        of reply: Reply, with fault: Fault, request line: String = request("GET", "/")
    ) throws -> (text: String, end: RawClient.End) {
        server.on("GET", "/", reply.failing(with: fault))
        let client = try RawClient(port: server.port)
        client.send(line)
        return client.readText()
    }

    private func state(of number: Int = 1) async throws -> RecordedRequest.State {
        let journal = try await server.wait { $0.requests.last?.state.isEnd == true }
        return journal.requests[number - 1].state
    }

    @Test(arguments: [
        (Fault.Place.beforeHead, 0), (.inHead(after: 0), 0), (.inHead(after: 12), 12), (.inHead(after: 5000), 39),
        (.inBody(after: 0), 39), (.inBody(after: 4), 43), (.inBody(after: 10), 49), (.inBody(after: 5000), 49),
    ])
    func theConnectionEndsWhereTheFaultSays(place: Fault.Place, count: Int) async throws {
        let whole = "\(head)0123456789"
        let reset = try outcome(of: reply, with: .reset(at: place))
        #expect(reset.text == String(whole.utf8.prefix(count)))
        #expect(reset.end == .reset)
        #expect(try await state() == .faulted)
        let closed = try outcome(of: reply, with: .close(at: place))
        #expect(closed.text == String(whole.utf8.prefix(count)))
        #expect(closed.end == .orderly)
        #expect(try await state(of: 2) == .faulted)
    }

    @Test(arguments: [
        (Fault.Place.beforeHead, 0), (.inHead(after: 12), 12), (.inBody(after: 0), 39), (.inBody(after: 4), 43),
        (.afterReply, 49),
    ])
    func aStalledReplyGoesNoFurtherUntilTheServerStops(place: Fault.Place, count: Int) async throws {
        server.on("GET", "/", reply.failing(with: .stall(at: place)))
        let client = try RawClient(port: server.port)
        client.send(request("GET", "/") + request("GET", "/next"))
        #expect(client.read(exactly: count) == Array("\(head)0123456789".utf8.prefix(count)))
        try await server.wait { [.waiting, .replied].contains($0.requests.first?.state) }
        server.stop()
        let rest = client.readAll()
        #expect(rest.bytes.isEmpty)
        #expect(rest.end != .silent)
        #expect(server.requests.map(\.path) == ["/"])
        #expect(server.requests[0].state == (place == .afterReply ? .replied : .stopped))
    }

    @Test func aFaultAfterTheReplyLeavesTheReplyWhole() async throws {
        let closed = try outcome(of: reply, with: .close(at: .afterReply))
        #expect(closed.text == "\(head)0123456789")
        #expect(closed.end == .orderly)
        let reset = try outcome(of: reply, with: .reset(at: .afterReply))
        #expect(reset.text == "\(head)0123456789")
        #expect(reset.end == .reset)
        #expect(server.requests.map(\.state) == [.replied, .replied])
    }

    @Test func aChunkedBodyIsCutWithinAChunkAndBeforeTheLast() throws {
        let chunked = Reply(body: .chunked("0123", "456789"))
        let within = try outcome(of: chunked, with: .close(at: .inBody(after: 6)))
        #expect(within.text.hasSuffix("\r\n\r\n4\r\n0123\r\n6\r\n45"))
        let atItsEnd = try outcome(of: chunked, with: .close(at: .inBody(after: 4)))
        #expect(atItsEnd.text.hasSuffix("\r\n\r\n4\r\n0123"))
        let atTheEnd = try outcome(of: chunked, with: .close(at: .inBody(after: 100)))
        #expect(atTheEnd.text.hasSuffix("\r\n\r\n4\r\n0123\r\n6\r\n456789\r\n"))
    }

    @Test func generatedBytesAreCutExactly() throws {
        let count = 200_001
        server.on("GET", "/", Reply.generated(1 << 40).failing(with: .close(at: .inBody(after: count))))
        let client = try RawClient(port: server.port)
        client.send(request("GET", "/"))
        #expect(client.readHead().contains("Content-Length: 1099511627776\r\n"))
        let (bytes, end) = client.readAll()
        #expect(bytes.count == count)
        #expect(GeneratedBytes.matches(bytes, at: 0))
        #expect(end == .orderly)
    }

    @Test(arguments: [
        (0, "zz\r\n"), (3, "3\r\n012\r\nzz\r\n"), (4, "4\r\n0123\r\nzz\r\n"), (5, "4\r\n0123\r\n1\r\n4\r\nzz\r\n"),
        (100, "4\r\n0123\r\n6\r\n456789\r\nzz\r\n"),
    ])
    func aMalformedSizeStandsWhereASizeBelongs(after count: Int, body: String) throws {
        let fault = Fault.malformedChunkSize("zz", after: count)
        let chunked = try outcome(of: Reply(body: .chunked("0123", "456789")), with: fault)
        let start = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(chunked.text == start + body)
        #expect(chunked.end == .orderly)
    }

    @Test func aMalformedSizeMakesTheBodyChunked() throws {
        let (text, _) = try outcome(of: reply, with: .malformedChunkSize("FFFFFFFFFFFFFFFFF", after: 10))
        #expect(text.hasSuffix("Transfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\nFFFFFFFFFFFFFFFFF\r\n"))
    }

    @Test func garbageComesInPlaceOfTheReply() throws {
        let (text, end) = try outcome(of: reply, with: .garbage())
        #expect(text == "SSH-2.0-OpenSSH_9.2\r\n")
        #expect(end == .orderly)
    }

    @Test(arguments: [100, 1500, 65_536, 1_000_000])
    func anOversizedHeadHasTheSizeAskedFor(size: Int) throws {
        server.on("GET", "/", reply.failing(with: .oversizedHead(bytes: size)))
        let client = try RawClient(port: server.port)
        client.send(request("GET", "/", "Connection: close"))
        let (text, _) = client.readText()
        #expect(text.utf8.count == size + 10)
        #expect(text.hasSuffix("x\r\n\r\n0123456789"))
    }

    @Test func aDrippingReplyComesInPiecesAndWhole() async throws {
        let start = ContinuousClock.now
        let fault = Fault.drip(bytes: 7, every: .milliseconds(5))
        let (text, end) = try outcome(of: reply, with: fault, request: request("GET", "/", "Connection: close"))
        #expect(text == "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\n0123456789")
        #expect(end == .orderly)
        // 58 bytes of head come in 9 pieces, and 10 of body in 2, with a pause between each two.
        #expect(ContinuousClock.now - start >= .milliseconds(50))
        #expect(try await state() == .replied)
    }

    @Test func aDripCanBeginInTheBodyAndGoWithoutPauses() throws {
        let place = Fault.Place.inBody(after: 5)
        let (text, _) = try outcome(
            of: reply, with: .drip(from: place, every: .zero), request: request("GET", "/", "Connection: close"))
        #expect(text.hasSuffix("\r\n\r\n0123456789"))
    }

    @Test func theFaultOfHeadStrikesWhereItsBodyWouldBe() throws {
        server.on("HEAD", "/", reply.failing(with: .reset(at: .inBody(after: 4))))
        let client = try RawClient(port: server.port)
        client.send(request("HEAD", "/"))
        let (text, end) = client.readText()
        #expect(text == head)
        #expect(end == .reset)
    }
}
