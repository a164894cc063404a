import Testing

@testable import StreamsLoopback

/// Replies over HTTP/2, and the client's windows and settings.
@Suite(.serialized) struct HTTP2ReplyTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    /// Returns the frames of a stream in words.
    private func words(_ frames: [HTTP2ClientFrame], on stream: Int = 1) -> [String] {
        frames.filter { $0.stream == stream }.map { frame in
            let end = frame.has(HTTP2Flag.endStream) ? " end" : ""
            switch frame.type {
            case 0: return "DATA \(decoded(frame.payload))\(end)"
            case 1: return "HEADERS\(end)"
            case 3: return "RST_STREAM \(number(frame.payload))"
            default: return "type \(frame.type)"
            }
        }
    }

    @Test(
        arguments: [
            (Reply(204), ["HEADERS end"], nil), (Reply(), ["HEADERS end"], "0"),
            (Reply.text(""), ["HEADERS end"], "0"), (Reply.text("one"), ["HEADERS", "DATA one end"], "3"),
            (Reply(body: .init(["one", "two"])), ["HEADERS", "DATA one", "DATA two end"], "6"),
            (Reply(body: .init(["one", .pause(.zero)])), ["HEADERS", "DATA one", "DATA  end"], "3"),
            (Reply(body: .chunked("one", "two")), ["HEADERS", "DATA one", "DATA two", "DATA  end"], nil),
            (Reply(body: .untilClose("one")), ["HEADERS", "DATA one", "DATA  end"], nil),
            (Reply.text("one").with(trailers: ["x-sum": "1"]), ["HEADERS", "DATA one", "HEADERS end"], "3"),
            (Reply().preceded(by: 103, headers: ["link": "x"]), ["HEADERS", "HEADERS end"], "0"),
            (Reply(304, body: .text("one")), ["HEADERS end"], nil),
        ] as [(Reply, [String], String?)])
    func endsTheStreamAsTheBodyRequires(reply: Reply, frames: [String], length: String?) throws {
        server.on("GET", "/", reply)
        let client = try RawHTTP2Client(server)
        client.request("GET", "/")
        let received = try client.reply()
        #expect(words(client.frames) == frames)
        #expect(received.headers["content-length"] == length)
        #expect(received.status == "\(reply.status)")
    }

    @Test func sendsInformationalHeadsAndTrailers() throws {
        server.on(
            "GET", "/",
            Reply(headers: ["X-Upper": "a", "Transfer-Encoding": "gzip"], body: .chunked("x"))
                .preceded(by: 103, headers: ["Link": "</a>"]).with(trailers: ["X-Sum": "1"]))
        let client = try RawHTTP2Client(server)
        client.request("GET", "/")
        let reply = try client.reply()
        #expect(
            reply.heads == [[":status": "103", "link": "</a>"], [":status": "200", "x-upper": "a"], ["x-sum": "1"]])
        #expect(reply.text == "x")
    }

    @Test func obeysTheWindows() async throws {
        server.on("GET", "/", .generated(200_000))
        let client = try RawHTTP2Client(server, settings: [.init(4, 1000)])
        client.request("GET", "/", on: 1)
        let blocked = try await server.waitForBackPressure(lasting: .milliseconds(50))
        #expect(blocked.bytesWritten == 1000)
        #expect(blocked.window == 1000)
        client.send(.windowUpdate(by: 500))
        try await server.wait { $0.bytesWritten == 1500 && $0.requests[0].state == .blocked }
        // A larger initial window holds for streams that are open, too.
        client.send(.settings([.init(4, 3000)]))
        try await server.wait { $0.bytesWritten == 3500 && $0.requests[0].state == .blocked }
        client.send(.windowUpdate(by: 1_000_000))
        // Now the connection's window is empty.
        try await server.wait { $0.bytesWritten == 65_535 && $0.requests[0].state == .blocked }
        client.request("GET", "/", on: 3)
        try await server.wait { $0.requests.count == 2 && $0.requests[1].state == .blocked }
        #expect(server.requests[1].bytesWritten == 0)
        client.send(.windowUpdate(by: 1_000_000, on: .connection))
        let reply = try client.reply()
        #expect(reply.body.count == 200_000 && GeneratedBytes.matches(reply.body, at: 0))
        #expect(server.http2Connections[0].windowIncrements == 1_000_000)
        #expect(server.requests[0].window == 1_001_500)
    }

    @Test func reducesTheWindowBelowZero() async throws {
        server.on("GET", "/", .generated(2000))
        let client = try RawHTTP2Client(server, settings: [.init(4, 1000)])
        client.request("GET", "/")
        try await server.wait { $0.bytesWritten == 1000 && $0.requests[0].state == .blocked }
        client.send(.settings([.init(4, 0)]), .windowUpdate(by: 1000))
        client.send(.ping())
        _ = try client.frame(ofType: HTTP2FrameType.ping)
        #expect(server.bytesWritten == 1000)
        client.send(.windowUpdate(by: 1))
        try await server.wait { $0.bytesWritten == 1001 }
    }

    @Test func obeysTheFrameSize() throws {
        server.on("GET", "/", .generated(60_000))
        let client = try RawHTTP2Client(server)
        client.request("GET", "/")
        #expect(GeneratedBytes.matches(try client.reply().body, at: 0))
        #expect(client.frames.filter { $0.type == 0 }.map(\.payload.count) == [16_384, 16_384, 16_384, 10_848])
        client.send(.settings([.init(5, 50_000), .init(4, 1 << 20)]), .windowUpdate(by: 1 << 20, on: .connection))
        client.request("GET", "/", on: 3)
        #expect(GeneratedBytes.matches(try client.reply(on: 3).body, at: 0))
        #expect(client.frames.filter { $0.type == 0 && $0.stream == 3 }.map(\.payload.count) == [50_000, 10_000])
    }

    @Test func givesUpTheTableOnce() throws {
        server.on("GET", "/", .status(200))
        let client = try RawHTTP2Client(server, settings: [.init(1, 0)])
        client.request("GET", "/", on: 1)
        _ = try client.reply(on: 1)
        client.request("GET", "/", on: 3)
        _ = try client.reply(on: 3)
        let blocks = client.frames.filter { $0.type == 1 }.map(\.payload)
        let head: [UInt8] = [0x88, 0x0F, 13, 1, 0x30]
        #expect(blocks == [[0x20] + head, head])
    }

    @Test func repliesBeforeTheUploadIsComplete() async throws {
        server.on("POST", "/", intake: .first(bytes: 3), .text("enough", status: 413))
        let client = try RawHTTP2Client(server)
        client.request("POST", "/", ["content-length": "100"], endStream: false)
        client.send(.data(Array("01234".utf8)))
        #expect(try client.reply().text == "enough")
        let reset = try #require(try client.frame(ofType: HTTP2FrameType.resetStream))
        #expect(reset.payload == [0, 0, 0, 0])
        // What was under way is ignored.
        client.send(.data(Array("56789".utf8)), .ping())
        _ = try #require(try client.frame(ofType: HTTP2FrameType.ping))
        #expect(server.requests[0].state == .replied)
        #expect(server.requests[0].text == "012")
        #expect(server.journal.rejections == [])
    }

    @Test func closesTheConnectionAsTheReplySays() async throws {
        let gate = Gate()
        server.on("GET", "/held", Reply.text("held").held(by: gate))
        server.on("GET", "/", Reply(headers: ["Connection": "close"], body: .text("last")))
        let client = try RawHTTP2Client(server)
        client.request("GET", "/held", on: 1)
        client.request("GET", "/", on: 3)
        let goAway = try #require(try client.frame(ofType: HTTP2FrameType.goAway))
        #expect(goAway.payload == [0, 0, 0, 3, 0, 0, 0, 0])
        #expect(try client.reply(on: 3).text == "last")
        client.request("GET", "/", on: 5)
        client.send(.ping())
        _ = try client.frame(ofType: HTTP2FrameType.ping)
        gate.open()
        #expect(try client.reply(on: 1).text == "held")
        #expect(client.raw.readAll().end == .orderly)
        #expect(server.requests.map(\.stream) == [1, 3])
        #expect(server.http2Connections[0].ignoredStreams == [5])
    }

    @Test func servesAFeed() throws {
        server.on("GET", "/", feed: FeedScript(.jsonLines, count: 3, .elements(2, partial: 3, then: .reset)))
        let client = try RawHTTP2Client(server)
        client.request("GET", "/")
        let reply = try client.reply()
        #expect(reply.text == "{\"n\":1}\n{\"n\":2}\n{\"n")
        #expect(reply.end == .reset(.internalError))
    }
}
