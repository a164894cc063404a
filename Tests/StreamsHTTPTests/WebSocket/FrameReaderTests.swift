import Testing

@testable import StreamsHTTP

/// The reader of a server's frames as a value, without a connection.
@Suite struct FrameReaderTests {
    private static let parts = [1, 2, 3, 7, 1_000_000]

    /// Reads bytes that come in parts of a size.
    private static func read(
        _ bytes: Data, inPartsOf size: Int, maxMessageSize: Int = 1 << 20, inflater: MessageInflater? = nil
    ) throws -> [FrameReader.Item] {
        var reader = FrameReader(maxMessageSize: maxMessageSize, inflater: inflater)
        var items: [FrameReader.Item] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            try bytes.dropFirst(start).prefix(size).withUnsafeBytes { part in
                var input = part
                while let item = try reader.next(&input) { items.append(item) }
                #expect(input.isEmpty)
            }
        }
        return items
    }

    @Test(arguments: parts) func readsMessagesOfEverySize(size: Int) throws {
        let texts = [0, 1, 125, 126, 127, 65_535, 65_536].map { (count: Int) -> String in
            (0..<count / 8).map { "ä\(100_000 + $0)" }.joined() + "bcdefgh".prefix(count % 8)
        }
        let bytes = texts.map { PeerFrames.text($0) + PeerFrames.binary(Data($0.utf8)) }.reduce(Data(), +)
        let expected = texts.flatMap { [FrameReader.Item.message(.text($0)), .message(.binary(Data($0.utf8)))] }
        let isExact = try Self.read(bytes, inPartsOf: size) == expected
        #expect(isExact)
    }

    @Test(arguments: parts) func joinsFragmentsAroundControlFrames(size: Int) throws {
        let bytes =
            PeerFrames.frame(0x01, "frä".utf8) + PeerFrames.ping("one") + PeerFrames.frame(0x00)
            + PeerFrames.pong() + PeerFrames.frame(0x80, "gments".utf8)
        let expected: [FrameReader.Item] = [.ping(Data("one".utf8)), .pong(Data()), .message(.text("frägments"))]
        #expect(try Self.read(bytes, inPartsOf: size) == expected)
    }

    @Test(arguments: parts) func joinsCharacterOfTwoFragments(size: Int) throws {
        let bytes = PeerFrames.frame(0x01, [0xF0, 0x9F]) + PeerFrames.frame(0x80, [0x98, 0x80])
        #expect(try Self.read(bytes, inPartsOf: size) == [.message(.text("😀"))])
    }

    @Test(arguments: parts) func ignoresBytesAfterCloseFrame(size: Int) throws {
        let bytes = PeerFrames.close(1000, "bye") + PeerFrames.text("late") + Data([0xFF, 0xFF])
        #expect(try Self.read(bytes, inPartsOf: size) == [.close(.normal, reason: "bye")])
    }

    @Test func readsCloseFrameWithoutCode() throws {
        #expect(try Self.read(PeerFrames.close(nil), inPartsOf: 10) == [.close(.noCode, reason: "")])
    }

    @Test(
        arguments: parts,
        [
            (PeerFrames.frame(0x80), "a continuation without a beginning"),
            (PeerFrames.frame(0x01) + PeerFrames.text("x"), "a message inside of a message"),
            (PeerFrames.frame(0x83), "the opcode 3"), (PeerFrames.frame(0x8B), "the opcode 11"),
            (PeerFrames.frame(0xC1), "reserved bits"), (PeerFrames.frame(0x91), "reserved bits"),
            (Data([0x81, 0x80, 0, 0, 0, 0]), "a mask"), (PeerFrames.frame(0x09), "a fragmented control frame"),
            (PeerFrames.frame(0x89, [UInt8](repeating: 0, count: 126)), "a control frame of 126 bytes"),
            (Data([0x82, 127, 0xFF, 0, 0, 0, 0, 0, 0, 0]), "a length of 64 bits"),
            (PeerFrames.frame(0x88, [3]), "a close frame of one byte"), (PeerFrames.close(1005), "the close code 1005"),
            (PeerFrames.close(2999), "the close code 2999"), (PeerFrames.close(5000), "the close code 5000"),
        ])
    func refusesForbiddenFrames(size: Int, example: (Data, String)) {
        #expect(throws: WebSocketViolation.frame(example.1)) { try Self.read(example.0, inPartsOf: size) }
    }

    @Test(
        arguments: parts,
        [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90], [0xE2, 0x82], [0x80]] as [[UInt8]])
    func refusesInvalidText(size: Int, bytes: [UInt8]) {
        let whole = PeerFrames.frame(0x81, bytes)
        #expect(throws: WebSocketViolation.text) { try Self.read(whole, inPartsOf: size) }
    }

    /// At the first byte that no text has there, however much of the message is yet to come.
    @Test func failsAtFirstInvalidByte() throws {
        let bytes = Data([0x81, 127, 0, 0, 0, 0, 0, 0, 1, 0]) + "good".utf8 + [0xF4]
        #expect(try Self.read(bytes, inPartsOf: 1).isEmpty)
        #expect(throws: WebSocketViolation.text) { try Self.read(bytes + [0x90], inPartsOf: 1) }
    }

    @Test(arguments: parts) func refusesOversizedMessageByItsHeader(size: Int) throws {
        let fitting = PeerFrames.frame(0x02, [1, 2, 3, 4, 5]) + PeerFrames.frame(0x80, [6, 7, 8, 9, 10])
        #expect(try Self.read(fitting, inPartsOf: size, maxMessageSize: 10).count == 1)
        let tooLarge = PeerFrames.frame(0x02, [1, 2, 3, 4, 5]) + Data([0x80, 6])
        #expect(throws: WebSocketViolation.tooLarge(limit: 10)) {
            try Self.read(tooLarge, inPartsOf: size, maxMessageSize: 10)
        }
        // The largest length must not overflow.
        let huge = PeerFrames.frame(0x02, [1]) + Data([0x80, 127, 0x7F] + [UInt8](repeating: 0xFF, count: 7))
        #expect(throws: WebSocketViolation.tooLarge(limit: 10)) {
            try Self.read(huge, inPartsOf: size, maxMessageSize: 10)
        }
    }
}
