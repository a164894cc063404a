import Testing

@testable import StreamsHTTP

/// Flow control by HTTP/2 (RFC 9113, sections 5.2 and 6.9).
struct HTTP2StreamTests {
    private static let frameSize = 16_384
    private static let largest: UInt32 = 0x7FFF_FFFF

    /// Content whose bytes show where they belong.
    private static func text(_ count: Int, from start: Int = 0) -> String {
        String(decoding: (start..<start + count).map { UInt8(ascii: "!") + UInt8($0 % 89) }, as: UTF8.self)
    }

    // MARK: Uploads

    @Test func uploadsObeyBothWindowsAndTheFrameSize() throws {
        var conversation = try HTTP2Conversation(settings: (4, 40_000))
        for _ in 0..<2 { conversation.open(.post) }
        _ = try conversation.sent()
        var written = 0
        for room in [16_384, 16_384, 7232] {
            #expect(conversation.machine.room(of: 1) == room)
            conversation.write(Self.text(room, from: written), to: 1)
            written += room
        }
        #expect(conversation.machine.room(of: 1) == 0)
        // What is left of the connection's 65,535.
        for room in [16_384, 9151, 0] {
            #expect(conversation.machine.room(of: 3) == room)
            conversation.write(Self.text(room), to: 3, isLast: room == 0)
        }
        #expect(
            try conversation.sent() == [
                "data 1 '\(Self.text(16_384))'", "data 1 '\(Self.text(16_384, from: 16_384))'",
                "data 1 '\(Self.text(7232, from: 32_768))'", "data 3 '\(Self.text(16_384))'",
                "data 3 '\(Self.text(9151))'", "data 3 '' last",
            ])
        conversation.receive([.window(1, 100)])
        #expect(conversation.takeEvents() == ["room 1"] && conversation.machine.room(of: 1) == 0)
        conversation.receive([.window(0, 7)])
        #expect(conversation.takeEvents() == ["room"] && conversation.machine.room(of: 1) == 7)
        // A request that is over has no room, and nothing more is written.
        #expect(conversation.machine.room(of: 3) == 0)
        "x".utf8CString.withUnsafeBytes { conversation.machine.write($0, to: 3, isLast: true) }
        #expect(try conversation.sent() == [])
    }

    @Test func settingsShrinkAndGrowTheWindowsOfStreams() throws {
        var conversation = try HTTP2Conversation(settings: (4, 1000))
        conversation.open(.post)
        _ = try conversation.sent()
        conversation.write(Self.text(600), to: 1)
        conversation.receive([.settings((4, 0))])
        #expect(conversation.takeEvents() == ["streams"] && conversation.machine.room(of: 1) == 0)
        // A new stream has the new window, an older one what is left of it: -600.
        #expect(conversation.open(.post) == 3 && conversation.machine.room(of: 3) == 0)
        conversation.receive([.window(1, 599)])
        #expect(conversation.takeEvents() == ["room 1"] && conversation.machine.room(of: 1) == 0)
        conversation.receive([.window(1, 3)])
        #expect(conversation.takeEvents() == ["room 1"] && conversation.machine.room(of: 1) == 2)
        conversation.receive([.settings((4, 10))])
        #expect(conversation.takeEvents() == ["streams", "room"])
        #expect(conversation.machine.room(of: 1) == 12 && conversation.machine.room(of: 3) == 10)
        // The last of several values counts.
        conversation.receive([.settings((4, Self.largest), (4, 0), (4, 9)), .ping(isAcknowledgement: true)], pieces: 1)
        #expect(conversation.takeEvents() == ["streams", "pong"])
        #expect(conversation.machine.room(of: 1) == 11 && conversation.machine.room(of: 3) == 9)
        #expect(try conversation.sent().filter { $0 == "settings acknowledged" }.count == 3)
    }

    @Test func settingsChangeTheFrameSize() throws {
        var conversation = try HTTP2Conversation(settings: (4, Self.largest), (5, 0xFF_FFFF))
        conversation.open(.post)
        #expect(conversation.machine.room(of: 1) == 65_535)
        conversation.receive([.window(0, Self.largest - 65_535)])
        #expect(conversation.machine.room(of: 1) == 0xFF_FFFF)
        conversation.receive([.settings((5, 16_384))])
        #expect(conversation.machine.room(of: 1) == Self.frameSize)
    }

    /// The largest windows, and the largest changes of them.
    @Test func windowsHaveALimit() throws {
        var conversation = try HTTP2Conversation(settings: (4, Self.largest))
        conversation.open(.post)
        conversation.receive([.window(0, Self.largest - 65_535)])
        #expect(conversation.error == nil)
        for value in [0, Self.largest, 0, Self.largest] { conversation.receive([.settings((4, value))]) }
        #expect(conversation.error == nil && conversation.machine.room(of: 1) == Self.frameSize)
        _ = conversation.takeEvents()
        conversation.write("a", to: 1)
        conversation.receive([.window(1, 1), .window(1, 1)])
        #expect(conversation.takeEvents() == ["room 1", "1: failed frame"])
        conversation.receive([.window(0, 1), .window(0, 1)])
        #expect(conversation.error?.code == .flowControlError)
    }

    @Test func windowsGrowFarBelowZero() throws {
        var conversation = try HTTP2Conversation(settings: (4, Self.largest))
        conversation.open(.post)
        conversation.receive([.window(0, Self.largest - 65_535)])
        for _ in 0..<1000 { conversation.write(String(repeating: "x", count: Self.frameSize), to: 1) }
        conversation.receive([.settings((4, 0)), .window(1, Self.largest), .settings((4, 16_384_000))])
        #expect(conversation.error == nil && conversation.machine.room(of: 1) == Self.frameSize)
        conversation.receive([.settings((4, 16_384_001))])
        #expect(conversation.error?.code == .flowControlError)
    }

    // MARK: Responses

    /// The windows that a download announces, whose subscriber asks for a number of bytes beyond what it has received.
    private static func windows(of size: Int, demand: Int, length: Int? = nil) throws -> [String] {
        var conversation = try HTTP2Conversation(settings: (3, 100))
        conversation.open()
        _ = try conversation.sent()
        let fields = [":status: 200"] + (length.map { ["content-length: \($0)"] } ?? [])
        conversation.receive([.headers(1, fields, frameSize: frameSize)])
        _ = conversation.takeEvents()
        var windows: [String] = []
        var received = 0
        while received < size {
            conversation.machine.allow(demand, on: 1)
            windows += try conversation.sent()
            let content = text(min(frameSize, size - received), from: received)
            received += content.utf8.count
            conversation.receive([.data(1, content, isLast: received == size)])
            #expect(conversation.takeEvents() == ["1: '\(content)'" + (received == size ? " last" : "")])
        }
        return windows
    }

    @Test func smallResponsesNeedNoWindows() throws {
        #expect(try Self.windows(of: 100, demand: 1 << 20) == [])
        #expect(try Self.windows(of: 16_384, demand: 1 << 20) == [])
        // It fits into the first window.
        #expect(try Self.windows(of: 65_536, demand: 1 << 20, length: 65_536) == [])
        #expect(try Self.windows(of: 65_536, demand: 65_536, length: 65_536) == [])
    }

    @Test func largeResponsesHaveWindowsInSteps() throws {
        #expect(
            try Self.windows(of: 200_000, demand: 262_144) == [
                // Up to the demand, and then by steps.
                "window 1 212992", "window 1 32768", "window 1 32768", "window 1 32768", "window 1 32768",
                "window 1 32768",
            ])
        // The rest of the response is in the window: no more are needed.
        #expect(try Self.windows(of: 200_000, demand: 262_144, length: 200_000) == ["window 1 212992"])
        #expect(
            try Self.windows(of: 200_000, demand: 65_536) == [
                "window 1 32768", "window 1 32768", "window 1 32768", "window 1 32768", "window 1 32768",
                "window 1 32768",
            ])
    }

    @Test func theWindowIsTheDemand() throws {
        var conversation = try HTTP2Conversation(settings: (3, 100))
        conversation.open()
        _ = try conversation.sent()
        conversation.receive([.headers(1, ":status: 200")])
        // Without demand, the first window is all that comes.
        for index in 0..<4 {
            conversation.machine.allow(0, on: 1)
            conversation.receive([.data(1, Self.text(Self.frameSize, from: index))])
        }
        for demand in [0, -1, .min] { conversation.machine.allow(demand, on: 1) }
        #expect(try conversation.sent() == [] && conversation.error == nil)
        // Then exactly what is asked for, however little, once the window is used up.
        conversation.machine.allow(10, on: 1)
        conversation.machine.allow(10, on: 1)
        #expect(try conversation.sent() == ["window 1 10"])
        conversation.receive([.data(1, "0123456789")])
        conversation.machine.allow(.max, on: 1)
        conversation.machine.allow(.max, on: 1)
        #expect(try conversation.sent() == ["window 1 2147483647"])
        _ = conversation.takeEvents()
        conversation.receive([.data(1, "x", isLast: true)])
        #expect(conversation.takeEvents() == ["1: 'x' last"])
    }

    @Test func aServerThatExceedsAWindowFails() throws {
        var conversation = try HTTP2Conversation(settings: (3, 100))
        for _ in 0..<2 { conversation.open() }
        _ = try conversation.sent()
        conversation.receive([.headers(1, ":status: 200"), .headers(3, ":status: 200")])
        _ = conversation.takeEvents()
        for stream in [1, 3] as [UInt32] {
            let frames = (0..<3).map { Self.text(Self.frameSize, from: $0) }
            let last = Self.text(16_382 - 255)
            conversation.receive(frames.map { .data(stream, $0) })
            // With the padding, which counts, one byte is left.
            conversation.receive([.data(stream, last, padding: 255)])
            #expect(conversation.takeEvents() == (frames + [last]).map { "\(stream): '\($0)'" })
        }
        conversation.receive([.data(3, "x"), .data(1, "xy")])
        #expect(conversation.takeEvents() == ["3: 'x'", "1: failed frame"])
        #expect(try conversation.sent() == ["reset 1 3"])
        conversation.receive([.data(3, "", padding: 0)])
        #expect(conversation.takeEvents() == ["3: failed frame"])
        #expect(try conversation.sent() == ["reset 3 3"])
        #expect(conversation.error == nil)
    }

    /// The window of the connection is topped up as bytes arrive, whatever the subscribers ask for, and for streams that
    /// have ended, too.
    @Test func noStreamHoldsUpAnother() throws {
        var conversation = try HTTP2Conversation(settings: (3, 100))
        conversation.open()
        conversation.receive([.headers(1, ":status: 200")])
        _ = try conversation.sent()
        let frame = ServerFrame.data(1, [UInt8](repeating: UInt8(ascii: "a"), count: Self.frameSize))
        var sent: [String] = []
        for index in 0..<1 << 14 {
            if index == 1000 { conversation.machine.cancel(1) }
            conversation.machine.allow(1 << 30, on: 1)
            conversation.now = conversation.now + .milliseconds(10)
            conversation.receive([frame])
            sent += try conversation.sent()
        }
        #expect(conversation.error == nil)
        // A quarter of the window, as soon as it has been used up.
        #expect(sent.filter { $0.hasPrefix("window 0") } == ["window 0 268435456"])
        #expect(sent.filter { $0.hasPrefix("reset") } == ["reset 1 8"])
    }
}
