@testable import StreamsHTTP

/// Few bytes that decode to many zeros.
struct Bomb {
    let bytes: [UInt8]
    let size: Int
    /// The number of zeros that a decoder keeps.
    var window = 0

    /// - Returns: `nil` if the process lacks the coding's library.
    init?(_ coding: String) {
        switch coding {
        case "deflate":
            bytes = Deflate.densestZeros(matches: 1 << 19)
            size = 1 + 258 << 19
        case "deflate, deflate":
            bytes = Deflate.stored(Deflate.densestZeros(matches: 1 << 19))
            size = 1 + 258 << 19
        case "br":
            guard ContentCoding.brotli.isSupported else { return nil }
            bytes = [
                0xCB, 0xFF, 0xFF, 0x3F, 0xF8, 0x27, 0x00, 0xE2, 0xB1, 0x40, 0x20, 0xF7, 0xFE, 0x2F, 0xFF, 0xFF, 0xFF,
                0xF0, 0x4F, 0x00, 0xC4, 0x61, 0x11, 0x80, 0xEE, 0xFD, 0x1F,
            ]
            size = 16 << 20
            window = 16 << 20
        default:
            guard ContentCoding.zstandard.isSupported else { return nil }
            bytes = Self.zeros(blocks: 1000)
            size = 1000 << 17
        }
    }

    /// Zeros in zstd's format (RFC 8878), in blocks of 128 KiB that take four bytes each.
    private static func zeros(blocks: Int) -> [UInt8] {
        let header: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]
        return (1...blocks).reduce(into: header) { bytes, number in
            let block = (number == blocks ? 1 : 0) | 1 << 1 | (128 << 10) << 3
            for place in 0..<3 { bytes.append(UInt8(truncatingIfNeeded: block >> (place * 8))) }
            bytes.append(0)
        }
    }
}
