import Testing

@testable import StreamsHTTP

/// Compressed messages (RFC 7692).
@Suite struct MessageCompressionTests {
    private static let messages: [Data] = {
        let numbers = Data((0..<50_000).map { "\($0)" }.joined(separator: ",").utf8)
        return [0, 1, 5, 100, 40_000, 200_000].map { Data(numbers.prefix($0)) }
    }()

    private func read(
        _ frames: Data, _ inflater: MessageInflater, inPartsOf size: Int, maxMessageSize: Int = 1 << 20
    ) throws -> [FrameReader.Item] {
        var reader = FrameReader(maxMessageSize: maxMessageSize, inflater: inflater)
        var items: [FrameReader.Item] = []
        for start in stride(from: 0, to: frames.count, by: size) {
            try frames.dropFirst(start).prefix(size).withUnsafeBytes { part in
                var input = part
                while let item = try reader.next(&input) { items.append(item) }
            }
        }
        return items
    }

    @Test(arguments: [true, false], [1, 5, 100_000])
    func decompressesCompressedMessages(isReset: Bool, size: Int) throws {
        let deflater = try #require(MessageDeflater(windowBits: 15))
        let inflater = try #require(MessageInflater(isReset: isReset))
        var frames = Data()
        for message in Self.messages { frames += PeerFrames.frame(0xC2, try #require(deflater.deflate(message))) }
        let items = try read(frames, inflater, inPartsOf: size)
        let isExact = items == Self.messages.map { .message(.binary($0)) }
        #expect(isExact)
    }

    @Test func limitsExpansion() throws {
        let deflater = try #require(MessageDeflater(windowBits: 15))
        let bomb = try #require(deflater.deflate(Data(count: 64 << 20)))
        #expect(bomb.count < 100_000)
        let inflater = try #require(MessageInflater(isReset: true))
        #expect(throws: WebSocketViolation.tooLarge(limit: 1 << 20)) {
            try read(PeerFrames.frame(0xC2, bomb), inflater, inPartsOf: 1000)
        }
    }

    @Test(arguments: [1, 100_000])
    func refusesOversizedTextBeforeInvalidByteBehindLimit(size: Int) throws {
        let deflater = try #require(MessageDeflater(windowBits: 15))
        let text = try #require(deflater.deflate(Data(repeating: 97, count: 10) + [0xFF]))
        let inflater = try #require(MessageInflater(isReset: true))
        #expect(throws: WebSocketViolation.tooLarge(limit: 9)) {
            try read(PeerFrames.frame(0xC1, text), inflater, inPartsOf: size, maxMessageSize: 9)
        }
    }

    @Test func refusesInvalidCompression() throws {
        let inflater = try #require(MessageInflater(isReset: true))
        #expect(throws: WebSocketViolation.compression) {
            try read(PeerFrames.frame(0xC2, [0xFF, 0xFF, 0xFF]), inflater, inPartsOf: 10)
        }
    }

    /// A message in fragments has the bit of compression in the first alone, and others may not be compressed at all.
    @Test func readsCompressionFromFirstFragment() throws {
        let deflater = try #require(MessageDeflater(windowBits: 9))
        let inflater = try #require(MessageInflater(isReset: true))
        let content = try #require(deflater.deflate(Data("one, and one more".utf8)))
        let frames =
            PeerFrames.frame(0x41, content.prefix(3)) + PeerFrames.frame(0x80, content.dropFirst(3))
            + PeerFrames.text("plain")
        let items = try read(frames, inflater, inPartsOf: 4)
        #expect(items == [.message(.text("one, and one more")), .message(.text("plain"))])
        let wrong = PeerFrames.frame(0x41, content.prefix(3)) + PeerFrames.frame(0xC0, content.dropFirst(3))
        #expect(throws: WebSocketViolation.frame("reserved bits")) { try read(wrong, inflater, inPartsOf: 100) }
    }
}
