import Testing

@testable import StreamsHTTP

/// The streams of a connection by HTTP/2, and the connection itself (RFC 9113, sections 5, 6 and 8), as values.
struct HTTP2StateMachineTests {
    /// Frames of a server after its settings, and their effect.
    struct Example: Sendable, CustomTestStringConvertible {
        /// The section of RFC 9113.
        let section: String
        /// The requests that have been opened, on the streams 1, 3 and so on. Those that anticipate content send it.
        var requests: [HTTPMethod] = [.get]
        let frames: [ServerFrame]
        var events: [String] = []
        /// The frames of the client.
        var sent: [String] = []
        /// The code of the error that ends the connection.
        var error: HTTP2Error.Code?

        var testDescription: String { "\(section): \(events.isEmpty ? "\(error?.rawValue ?? 0)" : "\(events)")" }
    }

    private static func expect(_ example: Example, pieces: Int) throws {
        var conversation = try HTTP2Conversation(settings: (3, 100))
        for method in example.requests { conversation.open(method) }
        _ = try conversation.sent()
        conversation.receive(example.frames, pieces: pieces)
        #expect(conversation.takeEvents() == example.events, "in pieces of \(pieces)")
        #expect(conversation.error?.code == example.error && conversation.error?.stream == nil)
        #expect(try conversation.sent() == example.sent)
    }

    private static let responses = [
        Example(
            section: "8.1",
            frames: [.headers(1, ":status: 200", "a: b"), .data(1, "hello"), .data(1, "", isLast: true)],
            events: ["1: head 200 a=b", "1: 'hello'", "1: '' last"]),
        Example(section: "8.1", frames: [.headers(1, ":status: 404", isLast: true)], events: ["1: head 404 last"]),
        Example(
            section: "8.1",
            frames: [
                .headers(1, ":status: 103", "link: </a>"), .headers(1, ":status: 100"), .headers(1, ":status: 200"),
                .data(1, "a"), .headers(1, "digest: x", isLast: true),
            ], events: ["1: 103", "1: 100", "1: head 200", "1: 'a'", "1: trailers digest=x"]),
        Example(
            section: "8.1", frames: [.headers(1, ":status: 200"), ServerFrame(type: 1, flags: 5, 1)],
            events: ["1: head 200", "1: trailers"]),
        Example(
            section: "4.3",
            frames: [.headers(1, [":status: 200", "a: b", "c: d"], isLast: true, frameSize: 1)],
            events: ["1: head 200 a=b c=d last"]),
        Example(
            section: "6.1",
            frames: [
                .headers(1, ":status: 200", "content-length: 5"), .data(1, "hel", padding: 255),
                .data(1, "", padding: 3),
                .data(1, "lo", padding: 0, isLast: true),
            ], events: ["1: head 200 content-length=5", "1: 'hel'", "1: ''", "1: 'lo' last"]),
        Example(
            section: "6.2", frames: [ServerFrame(type: 1, flags: 0x2D, 1, [2, 0x80, 0, 0, 3, 0xF, 0x88, 0, 0])],
            events: ["1: head 200 last"]),
        Example(
            section: "5", requests: [.get, .get],
            frames: [
                .headers(3, ":status: 200"), .headers(1, ":status: 201"), .data(3, "b"), .data(1, "a", isLast: true),
                .data(3, "c", isLast: true),
            ], events: ["3: head 200", "1: head 201", "3: 'b'", "1: 'a' last", "3: 'c' last"]),
        // Responses that never have content, whatever length they declare (8.1.1).
        Example(
            section: "8.1.1", requests: [.head],
            frames: [.headers(1, ":status: 200", "content-length: 5", isLast: true)],
            events: ["1: head 200 content-length=5 last"]),
        Example(
            section: "8.1.1", requests: [.head],
            frames: [.headers(1, ":status: 200", "content-length: 5"), .data(1, "", isLast: true)],
            events: ["1: head 200 content-length=5", "1: '' last"]),
        Example(
            section: "8.1.1", frames: [.headers(1, ":status: 304", "content-length: 5", isLast: true)],
            events: ["1: head 304 content-length=5 last"]),
        Example(
            section: "8.1.1", frames: [.headers(1, ":status: 204"), .data(1, "", isLast: true)],
            events: ["1: head 204", "1: '' last"]),
        // The end of a response ends the upload (8.1).
        Example(
            section: "8.1", requests: [.post], frames: [.headers(1, ":status: 413", isLast: true)],
            events: ["1: head 413 last"], sent: ["reset 1 8"]),
        Example(
            section: "8.1", requests: [.post],
            frames: [.headers(1, ":status: 200"), .data(1, "a", isLast: true), .reset(1, .noError)],
            events: ["1: head 200", "1: 'a' last"], sent: ["reset 1 8"]),
        // Events that the owner of the connection acts on (6.4, 6.8, 8.7).
        Example(section: "8.7", frames: [.reset(1, .refusedStream)], events: ["1: reset 7"]),
        Example(section: "7", frames: [.reset(1, .http11Required)], events: ["1: reset 13"]),
        Example(section: "7", frames: [.reset(1, .init(rawValue: 0xFFFF_FFFF))], events: ["1: reset 4294967295"]),
        Example(
            section: "6.4", frames: [.headers(1, ":status: 200"), .data(1, "a"), .reset(1, .internalError)],
            events: ["1: head 200", "1: 'a'", "1: reset 2"]),
        // Frames of streams that have ended, and frames without a meaning (5.1, 5.3.2, 5.5).
        Example(
            section: "5.1",
            frames: [
                .reset(1, .cancel), .headers(1, ":status: 200"), .data(1, "a"), .window(1, 1), .window(1, 0),
                .reset(1, .cancel),
            ], events: ["1: reset 8"]),
        Example(
            section: "5.1", frames: [.reset(1, .cancel), ServerFrame(type: 1, flags: 4, 1, [0x40, 1, 0x61, 1, 0x62])],
            events: ["1: reset 8"]),
        Example(
            section: "5.5",
            frames: [
                ServerFrame(type: 2, 1, [0x80, 0, 0, 1, 0xFF]), ServerFrame(type: 2, 8, [0, 0, 0, 0, 0]),
                ServerFrame(type: 0xB, flags: 0xFF, 9, [1, 2, 3]), ServerFrame(type: 0xFF, 0), .settingsAcknowledgement,
                .window(1, 5), .window(0, 5),
            ], events: ["room 1", "room"]),
        Example(
            section: "6.7", frames: [.ping(7), .ping(0, isAcknowledgement: true), .ping(.max)], events: ["pong"],
            sent: ["ping 7 acknowledged", "ping \(UInt64.max) acknowledged"]),
        Example(
            section: "6.5", frames: [.settings(), .settings((0xABCD, 5), (2, 0))], events: ["streams", "streams"],
            sent: ["settings acknowledged", "settings acknowledged"]),
        // Blanks around values, which servers send although they must not (8.2.1).
        Example(
            section: "8.2.1", frames: [.headers(1, ":status: 200", "a:  \tx\t ", "b: ", "c:  ", isLast: true)],
            events: ["1: head 200 a=x b= c= last"]),
    ]

    @Test(arguments: responses) func framesBecomeEvents(example: Example) throws {
        for pieces in [Int.max, 1, 2, 10] { try Self.expect(example, pieces: pieces) }
    }

    private static let head = ServerFrame.headers(1, ":status: 200")

    /// Errors of streams (5.4.2): the stream is reset, and another one goes on.
    private static let malformedMessages: [(String, [ServerFrame], [String], HTTP2Error.Code)] = [
        // Field blocks out of turn (8.1).
        ("8.1", [.data(1, "a")], ["1: failed frame"], .protocolError),
        ("8.1", [.data(1, "", isLast: true)], ["1: failed frame"], .protocolError),
        ("8.1", [.headers(1, ":status: 100", isLast: true)], ["1: failed status"], .protocolError),
        ("8.1", [.headers(1, ":status: 100"), .data(1, "a")], ["1: 100", "1: failed frame"], .protocolError),
        ("8.1", [head, .headers(1, "a: b")], ["1: head 200", "1: failed frame"], .protocolError),
        ("8.1", [head, .headers(1, ":status: 200")], ["1: head 200", "1: failed frame"], .protocolError),
        ("8.1", [head, .headers(1, ":status: 103")], ["1: head 200", "1: failed frame"], .protocolError),
        (
            "8.1", [head, .headers(1, ":status: 200", isLast: true)], ["1: head 200", "1: failed frame"],
            .protocolError
        ),
        // The content has another length (8.1.1).
        (
            "8.1.1", [.headers(1, ":status: 200", "content-length: 2"), .data(1, "abc")],
            ["1: head 200 content-length=2", "1: failed length"], .protocolError
        ),
        (
            "8.1.1", [.headers(1, ":status: 200", "content-length: 2"), .data(1, "a", padding: 1, isLast: true)],
            ["1: head 200 content-length=2", "1: failed transfer.body-ended-early"], .protocolError
        ),
        (
            "8.1.1",
            [.headers(1, ":status: 200", "content-length: 2"), .data(1, "a"), .headers(1, "a: b", isLast: true)],
            ["1: head 200 content-length=2", "1: 'a'", "1: failed transfer.body-ended-early"], .protocolError
        ),
        (
            "8.1.1", [.headers(1, ":status: 200", "content-length: 2", isLast: true)],
            ["1: failed transfer.body-ended-early"], .protocolError
        ),
        (
            "8.1.1", [.headers(1, ":status: 200", "content-length: 2", "content-length: 3")], ["1: failed length"],
            .protocolError
        ),
        ("8.1.1", [.headers(1, ":status: 200", "content-length: -1")], ["1: failed length"], .protocolError),
        (
            "8.1.1", [.headers(1, ":status: 200", "content-length: 99999999999999999999")], ["1: failed length"],
            .protocolError
        ),
        (
            "8.1.1", [.headers(1, ":status: 204"), .data(1, "a")], ["1: head 204", "1: failed length"],
            .protocolError
        ),
        // Fields (8.2, 8.3); see also HTTP2ResponseFieldsTests.
        ("8.2.1", [.headers(1, ":status: 200", "A: b")], ["1: failed field"], .protocolError),
        ("8.2.2", [.headers(1, ":status: 200", "connection: close")], ["1: failed field"], .protocolError),
        ("8.3", [.headers(1, ":status: 200", ":status: 200")], ["1: failed field"], .protocolError),
        ("8.3", [.headers(1, "a: b", ":status: 200")], ["1: failed field"], .protocolError),
        ("8.3", [.headers(1, ":status: 200", ":path: /")], ["1: failed field"], .protocolError),
        ("8.3.2", [.headers(1, "a: b")], ["1: failed status"], .protocolError),
        ("8.3.2", [.headers(1, ":status: 20")], ["1: failed status"], .protocolError),
        ("8.3.2", [.headers(1, ":status: 600")], ["1: failed status"], .protocolError),
        ("8.3.2", [ServerFrame(type: 1, flags: 4, 1)], ["1: failed status"], .protocolError),
        ("8.6", [.headers(1, ":status: 101")], ["1: failed status"], .protocolError),
        // Frames of a stream that are malformed themselves (6.3, 6.9).
        ("6.3", [ServerFrame(type: 2, 1, [0, 0, 0, 0])], ["1: failed frame"], .frameSizeError),
        ("6.9", [.window(1, 0)], ["1: failed frame"], .protocolError),
        ("6.9.1", [.window(1, 0x7FFF_FFFF)], ["1: failed frame"], .flowControlError),
    ]

    @Test(arguments: malformedMessages)
    func aMalformedMessageEndsItsStream(
        section: String, frames: [ServerFrame], events: [String], code: HTTP2Error.Code
    ) throws {
        // What comes of the stream afterwards was under way.
        let late: [ServerFrame] = [.data(1, "late"), .headers(1, "late: x", isLast: true), .reset(1, .cancel)]
        let example = Example(
            section: section, requests: [.get, .get],
            frames: frames + late + [.headers(3, ":status: 200"), .data(3, "x", isLast: true)],
            events: events + ["3: head 200", "3: 'x' last"], sent: ["reset 1 \(code.rawValue)"])
        for pieces in [Int.max, 1, 10] { try Self.expect(example, pieces: pieces) }
    }

    /// Errors of the connection (5.4.1).
    private static let malformedConnections = [
        // Streams that the client has not opened, of either side (5.1, 5.1.1).
        Example(section: "5.1", frames: [.data(3, "a")], error: .protocolError),
        Example(section: "5.1", frames: [.headers(3, ":status: 200")], error: .protocolError),
        Example(section: "5.1", frames: [.reset(3, .cancel)], error: .protocolError),
        Example(section: "5.1", frames: [.window(3, 1)], error: .protocolError),
        Example(section: "5.1", frames: [.window(3, 0)], error: .protocolError),
        Example(section: "5.1.1", frames: [.headers(2, ":status: 200")], error: .protocolError),
        Example(section: "5.1.1", frames: [.data(2, "a")], error: .protocolError),
        Example(section: "5.1.1", frames: [.window(0x7FFF_FFFE, 1)], error: .protocolError),
        Example(section: "5.1.1", requests: [], frames: [.data(1, "a")], error: .protocolError),
        Example(section: "5.1.1", requests: [], frames: [.reset(0x7FFF_FFFF, .cancel)], error: .protocolError),
        // Frames (4.2, 6.1 to 6.10); see also HTTP2FrameTests.
        Example(section: "4.2", frames: [.data(1, [UInt8](repeating: 0, count: 16_385))], error: .frameSizeError),
        Example(section: "6.1", frames: [.data(0, "a")], error: .protocolError),
        Example(section: "6.1", frames: [ServerFrame(type: 0, flags: 8, 1, [2, 0])], error: .protocolError),
        Example(section: "6.5.2", frames: [.settings((4, 0x8000_0000))], error: .flowControlError),
        Example(section: "6.5.2", frames: [.settings((2, 1))], error: .protocolError),
        Example(section: "6.6", frames: [ServerFrame(type: 5, flags: 4, 1, [0, 0, 0, 2])], error: .protocolError),
        Example(section: "6.9", frames: [.window(0, 0)], error: .protocolError),
        Example(section: "6.9.1", frames: [.window(0, 0x7FFF_FFFF)], error: .flowControlError),
        Example(section: "6.10", frames: [ServerFrame(type: 9, flags: 4, 1, [0x88])], error: .protocolError),
        Example(
            section: "6.10", frames: [ServerFrame(type: 1, 1, [0x88]), .ping(), .headers(1, ":status: 200")],
            error: .protocolError),
        // A setting makes the window of a stream too large, which has grown by itself (6.9.2).
        Example(
            section: "6.9.2", requests: [.post], frames: [.window(1, 0x7FFF_0000), .settings((4, 0x7FFF_FFFF))],
            events: ["room 1"], error: .flowControlError),
        // Field blocks that cannot be decoded, also those of streams that have ended (4.3).
        Example(section: "4.3", frames: [ServerFrame(type: 1, flags: 4, 1, [0x80])], error: .compressionError),
        Example(
            section: "4.3", frames: [ServerFrame(type: 1, flags: 4, 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xF])],
            error: .compressionError),
        Example(
            section: "4.3", frames: [.reset(1, .cancel), ServerFrame(type: 1, flags: 4, 1, [0xBE])],
            events: ["1: reset 8"], error: .compressionError),
        Example(
            section: "4.3.1", frames: [ServerFrame(type: 1, flags: 4, 1, [0x3F, 0xE2, 0x1F, 0x88])],
            error: .compressionError),
    ]

    @Test(arguments: malformedConnections) func aMalformedFrameEndsTheConnection(example: Example) throws {
        for pieces in [Int.max, 1, 10] { try Self.expect(example, pieces: pieces) }
    }

    // Section 3.4: the server's first frame is SETTINGS, and no acknowledgement.
    @Test(
        arguments: [
            .ping(), .settingsAcknowledgement, .headers(1, ":status: 200"), .window(0, 1), .window(1, 0),
            .goAway(0, .noError), ServerFrame(type: 0xB, 0), ServerFrame(type: 0x54, flags: 0x54, 0x50_2F31, [0x2E]),
        ] as [ServerFrame])
    func theFirstFrameHasTheSettings(frame: ServerFrame) throws {
        var conversation = try HTTP2Conversation()
        conversation.open()
        conversation.receive([frame])
        #expect(conversation.error?.code == .protocolError && conversation.error?.stream == nil)
        #expect(conversation.takeEvents() == [])
    }

    /// The blocks of streams that have ended change the table that the next ones are read with.
    @Test func blocksOfEndedStreamsAreDecoded() throws {
        var conversation = try HTTP2Conversation(settings: (3, 100))
        for _ in 0..<2 { conversation.open() }
        conversation.machine.cancel(1)
        conversation.receive([
            ServerFrame(type: 1, flags: 5, 1, [0x88, 0x40, 1, 0x61, 1, 0x62]),
            ServerFrame(type: 1, flags: 5, 3, [0x88, 0xBE]),
        ])
        #expect(conversation.takeEvents() == ["3: head 200 a=b last"])
    }
}

// MARK: Streams at once, and their end

extension HTTP2StateMachineTests {
    @Test func settingsLimitTheStreams() throws {
        var conversation = try HTTP2Conversation()
        // Until they come, a number that servers can be expected to accept.
        for stream in 0..<100 { #expect(conversation.open() == UInt32(stream) * 2 + 1) }
        #expect(conversation.open() == nil && !conversation.machine.hasRoom && conversation.machine.streamCount == 100)
        conversation.receive([.settings()])
        #expect(conversation.takeEvents() == ["streams"])
        #expect(conversation.open() == 201)
        conversation.receive([.settings((3, 0))])
        #expect(conversation.open() == nil && conversation.machine.streamCount == 101)
        conversation.receive([.settings((3, 102))])
        #expect(conversation.open() == 203 && conversation.open() == nil)
        conversation.machine.cancel(5)
        #expect(conversation.open() == 205 && conversation.open() == nil)
        conversation.receive([.headers(7, ":status: 200", isLast: true), .settings((3, .max))])
        #expect(conversation.open() == 207 && conversation.open() == 209)
    }

    @Test func streamsThatWereNotProcessedAreGivenBack() throws {
        var conversation = try HTTP2Conversation(settings: (3, 100))
        for _ in 0..<5 { conversation.open(.post) }
        conversation.receive([.goAway(0x7FFF_FFFF, .noError)])
        #expect(conversation.takeEvents() == ["go away [] 0"])
        #expect(conversation.machine.isLeaving && !conversation.machine.hasRoom && conversation.open() == nil)
        conversation.receive([.headers(3, ":status: 200", isLast: true), .goAway(5, .noError)])
        #expect(conversation.takeEvents() == ["3: head 200 last", "go away [7, 9] 0"])
        #expect(conversation.machine.streamCount == 2 && conversation.machine.room(of: 7) == 0)
        conversation.receive([.goAway(1, .http11Required), .goAway(0xFFFF_FFFF, .noError)])
        #expect(conversation.takeEvents() == ["go away [5] 13", "go away [] 0"])
        // The others go on.
        _ = try conversation.sent()
        conversation.write("abc", to: 1, isLast: true)
        conversation.receive([.headers(1, ":status: 200"), .data(1, "x", isLast: true), .goAway(0, .internalError)])
        #expect(conversation.takeEvents() == ["1: head 200", "1: 'x' last", "go away [] 2"])
        #expect(try conversation.sent() == ["data 1 'abc' last"])
        #expect(conversation.machine.streamCount == 0 && conversation.open() == nil)
    }

    @Test func aCancelledStreamIsResetOnce() throws {
        var conversation = try HTTP2Conversation(settings: (3, 100))
        for _ in 0..<2 { conversation.open() }
        _ = try conversation.sent()
        conversation.receive([.headers(1, ":status: 200"), .headers(3, ":status: 204", isLast: true)])
        for stream in [1, 1, 3, 5] as [UInt32] { conversation.machine.cancel(stream) }
        conversation.receive([.data(1, "late"), .headers(1, "a: b", isLast: true)])
        #expect(conversation.takeEvents() == ["1: head 200", "3: head 204 last"])
        #expect(try conversation.sent() == ["reset 1 8"])
        #expect(conversation.error == nil && conversation.machine.streamCount == 0)
        // Nothing of an ended stream does anything.
        conversation.machine.allow(1 << 20, on: 1)
        "x".utf8CString.withUnsafeBytes { conversation.machine.write($0, to: 1, isLast: true) }
        #expect(try conversation.sent() == [] && conversation.machine.room(of: 1) == 0)
    }

    @Test func theOwnerEndsTheConnection() throws {
        var conversation = try HTTP2Conversation(settings: (3, 100))
        conversation.machine.ping()
        conversation.machine.end(HTTP2Error(.enhanceYourCalm, "x"))
        #expect(try conversation.sent() == ["ping 0", "go away 0 11"])
        #expect(conversation.machine.isLeaving && conversation.open() == nil)
    }

    @Test func largeHeadsHaveSeveralFrames() throws {
        var conversation = try HTTP2Conversation(settings: (3, 100))
        let value = String(repeating: "~", count: 20_000)
        let request = HTTP2Conversation.request(headers: ["cookie": value])
        let opened = conversation.machine.open(request, hasContent: false, length: nil)
        #expect(opened?.stream == 1 && opened?.headSize == conversation.machine.unsentSize)
        #expect(try conversation.sent() == ["headers 1 continued last", "continuation 1"])
        // The table is the client's, not larger than usual, and smaller if the server wants so (RFC 7541, section 4.2).
        conversation.receive([.settings((1, 0), (1, .max), (5, 16_384))])
        conversation.open()
        #expect(try conversation.sent() == ["settings acknowledged", "headers 3 last"])
        #expect(conversation.error == nil)
    }
}
