import Testing

@testable import StreamsLoopback

/// Each way for a reply over HTTP/2 to go wrong, as a client sees it.
@Suite(.serialized) struct HTTP2FaultTests {
    typealias ErrorCode = LoopbackServer.HTTP2ErrorCode
    typealias Frame = LoopbackServer.HTTP2Frame

    private let server: LoopbackServer
    private let reply = Reply(body: .text("0123456789"))
    /// The bytes before the reply: SETTINGS and its acknowledgement.
    private let start = http2Frame(4, stream: 0, []) + http2Frame(4, flags: 1, stream: 0, [])
    /// The field block of the reply: status 200, and a length of 10.
    private let block: [UInt8] = [0x88, 0x0F, 13, 2, 0x31, 0x30]

    init() throws {
        server = try LoopbackServer()
        server.on("GET", "/other", .text("other"))
    }

    private func client(of reply: Reply) throws -> RawHTTP2Client {
        server.on("GET", "/", reply)
        let client = try RawHTTP2Client(server)
        client.request("GET", "/")
        return client
    }

    /// Returns the bytes that a client receives, and their end.
    private func outcome(of reply: Reply) throws -> (bytes: [UInt8], end: RawClient.End) {
        let (bytes, end) = try client(of: reply).raw.readAll()
        // The acknowledgement may come after the head.
        return (bytes.starts(with: start) ? Array(bytes.dropFirst(start.count)) : bytes, end)
    }

    private func state() async throws -> RecordedRequest.State? {
        try await server.wait { $0.requests.last?.state.isEnd == true }.requests.last?.state
    }

    @Test(arguments: [
        (Fault.Place.beforeHead, false, ""), (.inHead(after: 0), false, ""), (.inHead(after: 3), false, ""),
        (.inHead(after: 100), true, ""), (.inBody(after: 0), true, ""), (.inBody(after: 4), true, "0123"),
        (.inBody(after: 10), true, "0123456789"), (.inBody(after: 100), true, "0123456789"),
    ])
    func resetsTheStreamAtThePlace(place: Fault.Place, hasHead: Bool, content: String) async throws {
        let common = try client(of: reply.failing(with: .reset(at: place)))
        let first = try common.reply()
        #expect(first.end == .reset(.internalError))
        #expect(first.status == (hasHead ? "200" : nil))
        #expect(first.text == content)
        #expect(try await state() == .faulted)
        let own = try client(of: reply.failing(with: .resetStream(.http11Required, at: place)))
        let second = try own.reply()
        #expect(second.end == .reset(.http11Required))
        #expect(second.status == (hasHead ? "200" : nil))
        #expect(second.text == content)
        #expect(try await state() == .faulted)
        // The connection goes on.
        own.request("GET", "/other", on: 3)
        #expect(try own.reply(on: 3).text == "other")
    }

    @Test func closesTheConnectionAtThePlace() async throws {
        let head = http2Frame(1, flags: 4, stream: 1, block)
        let rows: [(Fault.Place, [UInt8])] = [
            (.beforeHead, []), (.inHead(after: 0), []), (.inHead(after: 2), http2Frame(1, stream: 1, [0x88, 0x0F])),
            (.inHead(after: 100), head), (.inBody(after: 0), head),
            (.inBody(after: 4), head + http2Frame(0, stream: 1, Array("0123".utf8))),
            (.inBody(after: 10), head + http2Frame(0, stream: 1, Array("0123456789".utf8))),
            (.afterReply, head + http2Frame(0, flags: 1, stream: 1, Array("0123456789".utf8))),
        ]
        for (place, bytes) in rows {
            let closed = try outcome(of: reply.failing(with: .close(at: place)))
            #expect(closed.bytes == bytes, "\(place)")
            #expect(closed.end == .orderly, "\(place)")
            #expect(try await state() == (place == .afterReply ? .replied : .faulted))
            let reset = try outcome(of: reply.failing(with: .resetConnection(at: place)))
            #expect(reset.bytes == bytes, "\(place)")
            #expect(reset.end == .reset, "\(place)")
        }
    }

    @Test func endsOtherStreamsWithTheConnection() async throws {
        server.on("GET", "/held", Reply().held(by: Gate()))
        server.on("GET", "/", Reply().failing(with: .close(at: .beforeHead)))
        let client = try RawHTTP2Client(server)
        client.request("GET", "/held", on: 1)
        try await server.wait { $0.requests.first?.state == .waiting }
        client.request("GET", "/", on: 3)
        #expect(try client.reply(on: 1).end == .disconnected)
        try await server.wait { $0.requests.map(\.state) == [.faulted, .faulted] }
    }

    @Test func stallsTheStreamAlone() async throws {
        let client = try client(of: reply.failing(with: .stall(at: .inBody(after: 4))))
        try await server.wait { $0.requests.first?.state == .waiting }
        client.request("GET", "/other", on: 3)
        #expect(try client.reply(on: 3).text == "other")
        client.send(.resetStream(.cancel))
        #expect(try await server.waitForDisconnection(of: 1).resetCode == .cancel)
        #expect(server.requests[0].bytesWritten == 4)
    }

    @Test(arguments: [Fault.Place.beforeHead, .inHead(after: 2), .inBody(after: 4), .afterReply])
    func stallsTheConnection(place: Fault.Place) async throws {
        let client = try client(of: reply.failing(with: .stallConnection(at: place)))
        try await server.wait { [.waiting, .replied].contains($0.requests.first?.state) }
        client.send(.ping())
        client.request("GET", "/other", on: 3)
        try await server.wait { $0.requests.count == 2 && $0.requests[1].state == .replying }
        #expect(server.http2Connections[0].frames.last == .ping(Array("loopback".utf8)))
        server.stop()
        let frames = sequence(state: client) { $0.nextFrame() }.map { $0 }
        #expect(!frames.contains { $0.type == HTTP2FrameType.ping || $0.stream == 3 })
        #expect(server.requests.map(\.state) == [place == .afterReply ? .replied : .stopped, .stopped])
    }

    @Test func sendsAHeadAndABodyInPieces() throws {
        let client = try client(of: reply.failing(with: .drip(bytes: 4, every: .milliseconds(1))))
        #expect(try client.reply().text == "0123456789")
        let frames = client.frames.filter { $0.stream == 1 }
        #expect(frames.map(\.type) == [1, 0, 0, 0])
        #expect(frames.map(\.payload.count) == [6, 4, 4, 2])
        let later = try self.client(of: reply.failing(with: .drip(from: .inBody(after: 5), bytes: 2, every: .zero)))
        #expect(try later.reply().text == "0123456789")
        #expect(later.frames.filter { $0.type == 0 }.map(\.payload.count) == [5, 2, 2, 1])
    }

    @Test func sendsGarbage() throws {
        let (bytes, end) = try outcome(of: reply.failing(with: .garbage()))
        #expect(bytes == Array("SSH-2.0-OpenSSH_9.2\r\n".utf8))
        #expect(end == .orderly)
    }

    @Test(arguments: [100, 16_384, 16_400, 1_000_000])
    func fillsAHeadToTheSize(size: Int) throws {
        let client = try client(of: reply.failing(with: .oversizedHead(bytes: size)))
        let received = try client.reply()
        #expect(received.text == "0123456789")
        #expect(received.headers["x-padding"]?.allSatisfy { $0 == "x" } == true)
        let block = client.frames.filter { [1, 9].contains($0.type) }
        #expect(block.map(\.payload.count).reduce(0, +) == size)
        #expect(block.map(\.type) == [1] + [UInt8](repeating: 9, count: (size - 1) / 16_384))
    }

    @Test func announcesTheEndBeforeAndAfterTheReply() async throws {
        let before = try client(of: reply.failing(with: .goAway(at: .beforeHead)))
        #expect(try before.frame(ofType: HTTP2FrameType.goAway)?.payload == [0, 0, 0, 1, 0, 0, 0, 0])
        #expect(try before.reply().text == "0123456789")
        let after = try client(
            of: reply.failing(with: .goAway(last: .number(9), .enhanceYourCalm, debugData: [7], at: .afterReply)))
        #expect(try after.reply().text == "0123456789")
        #expect(try after.frame(ofType: HTTP2FrameType.goAway)?.payload == [0, 0, 0, 9, 0, 0, 0, 11, 7])
        // The connection remains open, for streams up to the last.
        after.request("GET", "/other", on: 9)
        #expect(try after.reply(on: 9).text == "other")
        after.request("GET", "/other", on: 11)
        try await server.wait { $0.http2Connections[1].ignoredStreams == [11] }
    }

    @Test func abandonsTheStreamsAboveTheLast() async throws {
        let (first, second) = (Gate(), Gate())
        server.on("GET", "/first", Reply.text("first").held(by: first))
        server.on("GET", "/", Reply().held(by: second).failing(with: .goAway(last: .previous, at: .beforeHead)))
        server.on("GET", "/later", Reply.text("later").held(by: Gate()))
        let client = try RawHTTP2Client(server)
        for (stream, path) in [(1, "/first"), (3, "/"), (5, "/later")] { client.request("GET", path, on: stream) }
        try await server.wait { $0.requests.map(\.state) == [.waiting, .waiting, .waiting] }
        second.open()
        #expect(try client.reply(on: 3).end == .goAway(last: 1, .noError))
        try await server.wait { $0.requests.map(\.state) == [.waiting, .faulted, .faulted] }
        first.open()
        #expect(try client.reply(on: 1).text == "first")
    }

    @Test func writesFramesAtThePlace() throws {
        let ping = Frame.ping([1, 2, 3, 4, 5, 6, 7, 8])
        let failing =
            reply
            .failing(with: .frames([ping], at: .beforeHead))
            .failing(with: .frames([.init(type: 0xAB, flags: 1, payload: [9])], at: .inHead(after: 1)))
            .failing(with: .frames([.windowUpdate(by: 0), .data()], at: .inBody(after: 4)))
            .failing(with: .frames([.data([7], endStream: true, on: .offset(2))], at: .afterReply))
            .failing(with: .bytes([1, 2, 3], at: .afterReply))
            .failing(with: .close(at: .afterReply))
        let (bytes, end) = try outcome(of: failing)
        let expected =
            http2Frame(6, stream: 0, [1, 2, 3, 4, 5, 6, 7, 8]) + http2Frame(1, stream: 1, block.prefix(1))
            + http2Frame(0xAB, flags: 1, stream: 1, [9]) + http2Frame(9, flags: 4, stream: 1, block.dropFirst(1))
            + http2Frame(0, stream: 1, Array("0123".utf8)) + http2Frame(8, stream: 1, [0, 0, 0, 0])
            + http2Frame(0, stream: 1, []) + http2Frame(0, flags: 1, stream: 1, Array("456789".utf8))
            + http2Frame(0, flags: 1, stream: 3, [7]) + [1, 2, 3]
        #expect(bytes == expected)
        #expect(end == .orderly)
    }

    @Test func floodsTheClient() async throws {
        let flood = Fault.HTTP2.frames([.settings(), .priority()], times: 3000, at: .beforeHead)
        let client = try client(of: reply.failing(with: flood))
        #expect(try client.reply().text == "0123456789")
        // One more is the server's own.
        #expect(client.frames.filter { $0.type == 4 && $0.flags == 0 }.count == 3001)
        #expect(client.frames.filter { $0.type == 2 }.count == 3000)
        let endless = try self.client(of: reply.failing(with: .frames([.ping()], times: .max, at: .beforeHead)))
        for _ in 0..<10_000 { _ = endless.nextFrame() }
        endless.send(.resetStream(.enhanceYourCalm))
        // The server notices between two writes.
        while server.requests[1].state != .disconnected {
            endless.send(.ping())
            _ = endless.nextFrame()
        }
        #expect(server.requests[1].resetCode == .enhanceYourCalm)
    }

    @Test func hasNoEffectOnOtherVersions() throws {
        server.on("GET", "/", reply.failing(with: .resetStream(.cancel, at: .beforeHead)))
        let client = try RawClient(port: server.port)
        client.send(request("GET", "/", "Connection: close"))
        #expect(client.readText().text.hasSuffix("\r\n\r\n0123456789"))
    }

    @Test func buildsFrames() {
        let rows: [(Frame, [UInt8])] = [
            (.data([1], endStream: true), [0, 0, 1, 0, 1, 0, 0, 0, 5, 1]),
            (.headers([":status": "200", "X": "y"]), [0, 0, 6, 1, 4, 0, 0, 0, 5, 0x88, 0, 1, 0x58, 1, 0x79]),
            (.continuation(block: [1], endHeaders: false), [0, 0, 1, 9, 0, 0, 0, 0, 5, 1]),
            (.priority(), [0, 0, 5, 2, 0, 0, 0, 0, 5, 0, 0, 0, 0, 15]),
            (.resetStream(.cancel), [0, 0, 4, 3, 0, 0, 0, 0, 5, 0, 0, 0, 8]),
            (.settings([.init(3, 258)]), [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 1, 2]),
            (.settingsAcknowledgement, [0, 0, 0, 4, 1, 0, 0, 0, 0]),
            (.pushPromise(of: 2, [":path": "/"]), [0, 0, 5, 5, 4, 0, 0, 0, 5, 0, 0, 0, 2, 0x84]),
            (.ping([1], isAcknowledgement: true), [0, 0, 1, 6, 1, 0, 0, 0, 0, 1]),
            (.windowUpdate(by: 0, on: .connection), [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
            (.init(type: 0xFF, on: .previous), [0, 0, 0, 0xFF, 0, 0, 0, 0, 3]),
        ]
        for (frame, bytes) in rows { #expect(frame.bytes(from: 5) == bytes) }
        #expect(Frame.Stream.offset(.min).number(from: 5) == 0)
        #expect(Frame.Stream.previous.number(from: 1) == 0)
    }
}
