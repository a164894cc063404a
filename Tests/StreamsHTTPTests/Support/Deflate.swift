/// Compressed content, written by hand (RFC 1951 and RFC 1952).
enum Deflate {
    /// Zeros, gzipped: one literal and matches of 258 bytes, one distance back, in the fixed code.
    static func zeros(megabytes: Int) -> [UInt8] {
        let count = megabytes << 20
        var bits = BitWriter()
        bits.write(1, count: 1)
        bits.write(1, count: 2)
        // The literal 0 is 00110000, a length of 258 is 11000101, a distance of one is 00000; codes go first bit first.
        bits.writeCode(0b0011_0000, count: 8)
        var written = 1
        while count - written >= 258 {
            bits.writeCode(0b1100_0101, count: 8)
            bits.writeCode(0, count: 5)
            written += 258
        }
        for _ in written..<count { bits.writeCode(0b0011_0000, count: 8) }
        bits.writeCode(0, count: 7)
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        return header + bits.bytes + littleEndian(checksumOfZeros(count))
            + littleEndian(UInt32(truncatingIfNeeded: count))
    }

    /// Zeros in zlib's format (RFC 1950), as dense as they can be: two bits for 258 of them.
    static func densestZeros(matches: Int) -> [UInt8] {
        var bits = BitWriter()
        bits.write(1, count: 1)
        bits.write(2, count: 2)
        // 286 codes of literals and lengths, one of distances, 18 of code lengths.
        bits.write(29, count: 5)
        bits.write(0, count: 5)
        bits.write(14, count: 4)
        // Of code lengths: 18, which is a run of zeros, is 0, 1 is 10 and 2 is 11.
        for length in [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2] { bits.write(length, count: 3) }
        func writeRun(of zeros: Int) {
            bits.writeCode(0, count: 1)
            bits.write(zeros - 11, count: 7)
        }
        // The literal 0 is 10, the end is 11, a length of 258 is 0, and so is a distance of one.
        bits.writeCode(0b11, count: 2)
        writeRun(of: 138)
        writeRun(of: 117)
        bits.writeCode(0b11, count: 2)
        writeRun(of: 28)
        bits.writeCode(0b10, count: 2)
        bits.writeCode(0b10, count: 2)
        bits.writeCode(0b10, count: 2)
        for _ in 0..<matches { bits.write(0, count: 2) }
        bits.writeCode(0b11, count: 2)
        let count = UInt32(1 + matches * 258)
        return [0x78, 0x01] + bits.bytes + littleEndian((count % 65521) << 16 | 1).reversed()
    }

    /// The same bytes as deflate data in blocks without compression.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 0xFFFF).reduce(into: []) { result, start in
            let block = bytes[start..<min(start + 0xFFFF, bytes.count)]
            let (low, high) = (UInt8(truncatingIfNeeded: block.count), UInt8(truncatingIfNeeded: block.count >> 8))
            result += [block.endIndex == bytes.count ? 1 : 0, low, high, ~low, ~high]
            result += block
        }
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func checksumOfZeros(_ count: Int) -> UInt32 {
        let table = (0..<UInt32(256)).map { index in
            (0..<8).reduce(index) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
        }
        var checksum: UInt32 = 0xFFFF_FFFF
        for _ in 0..<count { checksum = table[Int(checksum & 0xFF)] ^ (checksum >> 8) }
        return ~checksum
    }

    private struct BitWriter {
        private(set) var bytes: [UInt8] = []
        private var used = 8

        /// Writes a number, lowest bit first.
        mutating func write(_ value: Int, count: Int) {
            for bit in 0..<count { append(value >> bit & 1) }
        }

        /// Writes a code of Huffman's, highest bit first.
        mutating func writeCode(_ code: Int, count: Int) {
            for bit in stride(from: count - 1, through: 0, by: -1) { append(code >> bit & 1) }
        }

        private mutating func append(_ bit: Int) {
            if used == 8 {
                bytes.append(0)
                used = 0
            }
            bytes[bytes.count - 1] |= UInt8(bit << used)
            used += 1
        }
    }
}
