import Testing

@testable import StreamsHTTP

/// Decoders by themselves.
@Suite struct ContentDecoderTests {
    private func decoder(_ names: String...) throws -> any ContentDecoder {
        try ContentCoding.decoder(of: names)
    }

    /// Decodes parts of a size into pieces of a size.
    private func decode(
        _ bytes: [UInt8], _ decoder: any ContentDecoder, parts: Int, pieces: Int
    ) throws -> [UInt8] {
        var (decoded, piece) = ([UInt8](), [UInt8](repeating: 0, count: pieces))
        for start in stride(from: 0, to: bytes.count, by: parts) {
            try bytes[start..<min(start + parts, bytes.count)].withUnsafeBytes { part in
                var rest = part
                var count = 0
                repeat {
                    count = 0
                    try piece.withUnsafeMutableBytes { try decoder.decode(&rest, into: $0, &count) }
                    decoded += piece[..<count]
                } while count == pieces
                #expect(rest.isEmpty)
            }
        }
        return decoded
    }

    @Test(arguments: EncodedText.supported, [1, 7, 1000]) func decodesAnyParts(of coding: EncodedText, parts: Int)
        throws
    {
        for pieces in [1, 2, 100, 10_000] {
            let decoder = try decoder(coding.name)
            #expect(decoder.isComplete)
            let bytes = coding.bytes
            let decoded = try decode(bytes.dropLast(), decoder, parts: parts, pieces: pieces)
            #expect(!decoder.isComplete)
            let rest = try decode(bytes.suffix(1), decoder, parts: parts, pieces: pieces)
            #expect(decoder.isComplete)
            #expect(Data(decoded + rest) == EncodedText.text)
        }
    }

    @Test(arguments: [1, 7, 1000]) func decodesAnyPartsOfTwoCodings(parts: Int) throws {
        for pieces in [1, 100, 10_000] {
            let decoder = try decoder("gzip", "deflate")
            let bytes = Deflate.stored(EncodedText.gzip.bytes)
            #expect(Data(try decode(bytes, decoder, parts: parts, pieces: pieces)) == EncodedText.text)
            #expect(decoder.isComplete)
        }
    }

    /// The outer coding can take long to decode to the next byte of the inner one.
    @Test(arguments: EncodedText.supported) func waitsForBytesBetweenTwoCodings(of coding: EncodedText) throws {
        func block(_ bytes: some Collection<UInt8>, isLast: Bool = false) -> [UInt8] {
            let size = UInt8(bytes.count)
            return [isLast ? 1 : 0, size, 0, ~size, 0xFF] + bytes
        }
        let bytes = coding.bytes
        let emptyBlocks = Array(repeating: block([]), count: 100).joined()
        let encoded = block(bytes.prefix(20)) + emptyBlocks + block(bytes.dropFirst(20), isLast: true)
        let decoder = try decoder(coding.name, "deflate")
        #expect(Data(try decode(encoded, decoder, parts: 1, pieces: 1000)) == EncodedText.text)
        #expect(decoder.isComplete)
    }

    @Test func findsTheNextMemberInLaterParts() throws {
        let decoder = try decoder("gzip")
        let bytes = EncodedText.gzip.bytes
        for number in 1...3 {
            #expect(Data(try decode(bytes, decoder, parts: bytes.count, pieces: 1000)) == EncodedText.text, "\(number)")
            #expect(decoder.isComplete)
        }
    }

    /// Bytes after the content are ignored, even if a read happens to begin like a member, a frame or a block.
    @Test(arguments: EncodedText.supported, [1, 7, 1000]) func ignoresBytesAfterTheEnd(
        of coding: EncodedText, parts: Int
    )
        throws
    {
        for byte in UInt8.min...UInt8.max {
            let decoder = try decoder(coding.name)
            let bytes = coding.bytes + [0, byte, byte, byte, byte, byte, byte, byte, byte]
            #expect(Data(try decode(bytes, decoder, parts: parts, pieces: 1000)) == EncodedText.text, "\(byte)")
            #expect(decoder.isComplete, "\(byte)")
        }
    }

    /// A few bytes expand to a frame that is to be skipped.
    @Test func refusesMuchThatDecodesToNothing() throws {
        guard let zeros = Bomb("zstd") else { return }
        let skipped: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 0xFF, 0xFF, 0xFF, 0xFF]
        let outer: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38, 0x41, 0x00, 0x00] + skipped + zeros.bytes
        for parts in [1, 100_000] {
            let decoder = try decoder("zstd", "zstd")
            #expect(throws: TransportFailure.self) { try decode(outer, decoder, parts: parts, pieces: 1000) }
        }
    }

    /// The library can decode formats from before the coding's specification, with code that is rarely tested.
    @Test(arguments: [0x1E, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27] as [UInt8]) func refusesOldFormats(first: UInt8) throws
    {
        guard ContentCoding.zstandard.isSupported else { return }
        let bytes: [UInt8] = [first, 0xB5, 0x2F, 0xFD, 0x04, 0x68, 0xA5, 0x00, 0xFA, 0x68, 0x68, 0x65]
        for parts in [1, 100] {
            #expect(throws: TransportFailure.self) { try decode(bytes, decoder("zstd"), parts: parts, pieces: 1000) }
        }
    }

    @Test func refusesWindowsLargerThanTheCodingAllows() throws {
        guard ContentCoding.zstandard.isSupported else { return }
        // A frame with a window of 16 MiB.
        let bytes: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x70, 0x01, 0x00, 0x00]
        #expect(throws: TransportFailure.self) { try decode(bytes, decoder("zstd"), parts: 100, pieces: 10) }
        let allowed: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x68, 0x01, 0x00, 0x00]
        #expect(try decode(allowed, decoder("zstd"), parts: 100, pieces: 10).isEmpty)
    }
}
