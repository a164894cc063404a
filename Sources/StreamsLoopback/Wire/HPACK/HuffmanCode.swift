/// The Huffman code of HPACK (RFC 7541 appendix B).
///
/// The code is canonical: codes of the same length are successive numbers in the order of their symbols. So the lengths
/// define it.
enum HuffmanCode {
    /// Returns the decoded bytes; `nil` if they are malformed.
    static func decode(_ bytes: some Sequence<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        var code = 0
        var length = 0
        for byte in bytes {
            for shift in stride(from: 7, through: 0, by: -1) {
                code = code << 1 | Int(byte >> UInt8(shift) & 1)
                length += 1
                let level = levels[length]
                guard code - level.firstCode < level.symbols.count else {
                    // No code is longer than 30 bits.
                    if length == levels.count - 1 { return nil }
                    continue
                }
                let symbol = level.symbols[code - level.firstCode]
                // The end of the string must not be coded.
                guard let value = UInt8(exactly: symbol) else { return nil }
                decoded.append(value)
                code = 0
                length = 0
            }
        }
        // The padding consists of fewer than eight ones.
        guard length < 8, code == (1 << length) - 1 else { return nil }
        return decoded
    }

    /// The codes of one length.
    private struct Level {
        var firstCode = 0
        var symbols: [Int] = []
    }

    /// The codes by their length, from zero bits to 30.
    private static let levels: [Level] = {
        var levels = [Level](repeating: Level(), count: 31)
        for (symbol, length) in lengths.enumerated() { levels[length].symbols.append(symbol) }
        for length in 1..<levels.count {
            levels[length].firstCode = (levels[length - 1].firstCode + levels[length - 1].symbols.count) << 1
        }
        return levels
    }()

    /// The length of each byte's code, and of the code for the end.
    private static let lengths = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28,
        28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15,
        6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22,
        20,
        20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23,
        24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22,
        22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27,
        24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26,
        26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
    ]
}
