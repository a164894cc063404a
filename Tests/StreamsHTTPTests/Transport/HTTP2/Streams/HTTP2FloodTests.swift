import Testing

@testable import StreamsHTTP

/// Frames without end that cost work and do none, and what looks like them.
struct HTTP2FloodTests {
    /// A flood: frames that come again and again. The first request is on the stream 1, and has been answered with a head;
    /// the second one, on the stream 3, has ended.
    struct Flood: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let frames: [ServerFrame]

        init(_ name: String, _ frames: ServerFrame...) {
            testDescription = name
            self.frames = frames
        }
    }

    private static let floods = [
        Flood("PING", .ping(1)), Flood("PING, acknowledged", .ping(isAcknowledgement: true)),
        Flood("SETTINGS", .settings()), Flood("SETTINGS, acknowledged", .settingsAcknowledgement),
        Flood("windows of streams", .settings((4, 0), (4, 65_535))), Flood("table sizes", .settings((1, 0), (1, 4096))),
        Flood("DATA, empty", .data(1, "")), Flood("DATA, padded", .data(1, "", padding: 0)),
        Flood("DATA of an ended stream", .data(3, "x")), Flood("HEADERS of an ended stream", .headers(3, "a: b")),
        Flood("RST_STREAM of an ended stream", .reset(3, .cancel)),
        Flood("PRIORITY", ServerFrame(type: 2, 1, [0, 0, 0, 0, 0])),
        Flood("PRIORITY, too short", ServerFrame(type: 2, 3)),
        Flood("unknown", ServerFrame(type: 0xB, flags: 0xFF, 1, [1])),
        Flood("WINDOW_UPDATE", .window(0, 1)), Flood("WINDOW_UPDATE of a stream", .window(1, 1)),
        Flood("WINDOW_UPDATE of an ended stream", .window(3, 1)),
        Flood("WINDOW_UPDATE, zero", .window(3, 0)), Flood("GOAWAY", .goAway(5, .noError)),
    ]

    @Test(arguments: floods) func endsTheConnection(flood: Flood) throws {
        var conversation = try HTTP2Conversation(settings: (3, 100))
        for _ in 0..<2 { conversation.open() }
        conversation.receive([.headers(1, ":status: 200"), .headers(3, ":status: 200", isLast: true)])
        _ = try conversation.sent()
        var count = 0
        while conversation.error == nil, count < 20_000 {
            conversation.receive(flood.frames)
            count += 1
        }
        #expect((900...1100).contains(count))
        #expect(conversation.error?.code == .enhanceYourCalm && conversation.error?.stream == nil)
        #expect(conversation.error.map { TransportFailure($0).text } == "flood")
        // The answers of the client are bounded, too.
        #expect(conversation.machine.unsentSize < 20_000)
    }

    /// A field block, and the frames of one, without an end.
    @Test(arguments: [(1, 100_000), (0, 100_000), (16_384, 16_384 * 65)])
    func fieldBlocksHaveALimit(frameSize: Int, limit: Int) throws {
        var conversation = try HTTP2Conversation(settings: (3, 100))
        conversation.open()
        let part = [UInt8](repeating: 0x88, count: frameSize)
        conversation.receive([ServerFrame(type: 1, 1, part)])
        var size = 0
        while conversation.error == nil, size < limit {
            conversation.receive([ServerFrame(type: 9, 1, part)])
            size += max(frameSize, 1)
        }
        #expect(conversation.error?.code == .enhanceYourCalm)
    }

    /// A block may be small, and its fields large: each byte stands for a field of the table.
    @Test func fieldsHaveLimits() throws {
        var limits = RequestOptions.HeadLimits()
        limits.maxSize = 4000
        limits.maxLineSize = 2000
        limits.maxFieldCount = 20
        let large = [0x40, 1, 0x61, 0x7F, 0xD1, 0xE] + [UInt8](repeating: 0x62, count: 2000)
        let blocks: [([UInt8], String)] = [
            (
                [0x88] + [UInt8](repeating: 0x90, count: 19),
                "head 200" + String(repeating: " accept-encoding=gzip, deflate", count: 19)
            ),
            ([0x88] + [UInt8](repeating: 0x90, count: 20), "failed transfer.head-too-large"),
            // A field that is larger than a line may be, and then one of the table.
            ([0x88] + large, "failed transfer.head-too-large"),
            ([0x88, 0xBE, 0xBE, 0xBE], "failed transfer.head-too-large"),
            ([0x88], "head 200"),
        ]
        var conversation = try HTTP2Conversation(settings: (3, 100))
        for (block, event) in blocks {
            let request = HTTP2Conversation.request(limits: limits)
            let opened = conversation.machine.open(request, hasContent: false, length: nil)
            let stream = try #require(opened?.stream)
            _ = try conversation.sent()
            conversation.receive([ServerFrame(type: 1, flags: 4, stream, block)])
            #expect(conversation.takeEvents() == ["\(stream): \(event)"])
            #expect(try conversation.sent() == (event.hasPrefix("failed") ? ["reset \(stream) 8"] : []))
        }
        #expect(conversation.error == nil)
    }

    @Test func informationalHeadsHaveALimit() throws {
        var conversation = try HTTP2Conversation(settings: (3, 100))
        conversation.open()
        _ = try conversation.sent()
        conversation.receive([ServerFrame](repeating: .headers(1, ":status: 103"), count: 101))
        #expect(
            conversation.takeEvents()
                == [String](repeating: "1: 103", count: 100) + ["1: failed transfer.head-too-large"])
        #expect(try conversation.sent() == ["reset 1 11"])
    }

    /// Work on a stream does not buy answers without end.
    @Test func aServerReadsTheAnswersThatItAsksFor() throws {
        var conversation = try HTTP2Conversation(settings: (3, 100))
        conversation.open()
        conversation.receive([.headers(1, ":status: 200")])
        let frames = [ServerFrame.data(1, "x")] + [ServerFrame](repeating: .ping(), count: 8)
        for _ in 0..<2000 {
            conversation.receive(frames)
            conversation.machine.allow(1 << 20, on: 1)
            #expect(try conversation.sent().filter { $0 == "ping 0 acknowledged" }.count == 8)
        }
        #expect(conversation.error == nil)
        for _ in 0..<2000 { conversation.receive(frames) }
        #expect(conversation.error?.code == .enhanceYourCalm && conversation.machine.unsentSize < 200_000)
    }
}

// MARK: Connections that are none

extension HTTP2FloodTests {
    @Test func aConnectionLivesForWeeks() throws {
        let count = 4 * 60 * 24 * 7
        var conversation = try HTTP2Conversation(settings: (3, 100))
        for _ in 0..<count {
            conversation.now = conversation.now + .seconds(15)
            conversation.receive([.ping(), .ping(isAcknowledgement: true)])
            _ = conversation.machine.takeOutput()
        }
        #expect(conversation.error == nil)
        #expect(conversation.takeEvents() == [String](repeating: "pong", count: count))
    }

    /// At the rate of the limit, no token is lost by rounding.
    @Test(arguments: [Duration.milliseconds(10), .milliseconds(5), .nanoseconds(5_000_001)])
    func aSteadyRateIsNoFlood(interval: Duration) throws {
        var now = MonotonicTime.now
        var guardian = HTTP2FloodGuard(now: now)
        for _ in 0..<200_000 {
            now = now + interval
            try guardian.count(now: now)
        }
    }

    @Test func aHigherRateIsAFlood() throws {
        var now = MonotonicTime.now
        var guardian = HTTP2FloodGuard(now: now)
        // Time that has passed without frames saves no more than the capacity.
        now = now + .seconds(1_000_000)
        for _ in 0..<2000 { try guardian.count(now: now) }
        #expect(throws: HTTP2Error.self) { try guardian.count(now: now) }
        #expect(throws: HTTP2Error.self) { try guardian.count(now: now + .milliseconds(4)) }
        try guardian.count(now: now + .milliseconds(5))
        // A time in the past is none that has passed.
        #expect(throws: HTTP2Error.self) { try guardian.count(now: now + .seconds(-5)) }
    }

    /// Some servers announce both windows for each part of an upload that they read, and all of them when it is over.
    @Test(arguments: [512, 1024, 16_384]) func anUploadHasManyWindows(readSize: Int) throws {
        var conversation = try HTTP2Conversation(settings: (4, 1 << 20))
        conversation.open(.post)
        conversation.receive([.window(0, 1 << 20)])
        let frame = String(repeating: "x", count: 16_384)
        let windows: [ServerFrame] = [.window(0, UInt32(readSize)), .window(1, UInt32(readSize))]
        // All at once, so that none of it is time.
        for round in 0..<10 {
            while conversation.machine.room(of: 1) == frame.utf8.count { conversation.write(frame, to: 1) }
            if round == 9 { conversation.write("", to: 1, isLast: true) }
            for _ in 0..<(1 << 20) / readSize { conversation.receive(windows) }
        }
        #expect(conversation.error == nil)
        conversation.receive([.headers(1, ":status: 200", isLast: true)])
        #expect(conversation.takeEvents().last == "1: head 200 last")
    }

    /// A hundred windows a second, for an upload whose server is slow.
    @Test func aSlowUploadHasManyWindows() throws {
        var conversation = try HTTP2Conversation(settings: (4, 0))
        conversation.open(.post)
        for _ in 0..<20_000 {
            conversation.now = conversation.now + .milliseconds(10)
            conversation.receive([.window(1, 1)])
            if conversation.machine.room(of: 1) == 1 { conversation.write("x", to: 1) }
            conversation.receive([.window(0, 1)])
            _ = conversation.machine.takeOutput()
        }
        #expect(conversation.error == nil)
    }

    @Test func refusedStreamsAreNoFlood() throws {
        var conversation = try HTTP2Conversation(settings: (3, 100))
        for _ in 0..<3000 {
            let opened = conversation.open()
            let stream = try #require(opened)
            conversation.receive([.reset(stream, .refusedStream)])
            #expect(conversation.takeEvents() == ["\(stream): reset 7"])
        }
        #expect(conversation.error == nil)
    }

    /// The server may have sent a whole window before it reads the cancellation, in frames of any size.
    @Test func cancelledDownloadsAreNoFlood() throws {
        var conversation = try HTTP2Conversation(settings: (3, 100))
        let frame = String(repeating: "x", count: 512)
        for _ in 0..<100 {
            let opened = conversation.open()
            let stream = try #require(opened)
            conversation.receive([.headers(stream, ":status: 200"), .data(stream, frame)])
            conversation.machine.cancel(stream)
            conversation.receive(
                [ServerFrame](repeating: .data(stream, frame), count: 127) + [
                    .data(stream, ""), .headers(stream, "a: b", isLast: true), .reset(stream, .noError),
                    .window(stream, 1),
                ])
        }
        #expect(conversation.error == nil)
        // More than that is one.
        for _ in 0..<2000 { conversation.receive([.data(1, "x")]) }
        #expect(conversation.error?.code == .enhanceYourCalm)
    }

    @Test func smallContentIsNoFlood() throws {
        var conversation = try HTTP2Conversation(settings: (3, 100))
        conversation.open()
        conversation.receive([.headers(1, ":status: 200")])
        for _ in 0..<20_000 {
            conversation.receive([.data(1, "x")])
            conversation.machine.allow(1 << 20, on: 1)
        }
        #expect(conversation.error == nil)
        #expect(conversation.takeEvents().dropFirst() == [String](repeating: "1: 'x'", count: 20_000)[...])
    }
}
