/// The Huffman code of HPACK (RFC 7541, appendix B).
///
/// The code is canonical: the codes of a length are consecutive, in the order of their symbols, and follow the shorter ones.
/// So the lengths alone describe it.
enum HuffmanCode {
    /// The length of the longest code.
    private static let maxLength = 30
    /// The symbol that ends a text. It is never sent; its first bits pad the last byte.
    private static let end = 256

    /// The number of bits of each symbol's code.
    private static let lengths: [UInt8] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28,
        28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6,
        6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8,
        7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7,
        7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23,
        24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22,
        23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25,
        26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24,
        20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27,
        27, 27, 27, 26, 30,
    ]
    private static let tables = Tables()

    /// The tables that follow from the lengths.
    private struct Tables {
        /// The code of each symbol.
        var codes = [UInt32](repeating: 0, count: lengths.count)
        /// The symbols in the order of their codes.
        let symbols: [Int]
        /// For each length, the first number of ``maxLength`` bits that begins with no code of this length or a shorter one.
        var limits = [UInt32](repeating: 0, count: maxLength + 1)
        /// For each length, the difference between the place of a symbol and its code.
        var offsets = [Int](repeating: 0, count: maxLength + 1)

        init() {
            symbols = lengths.indices.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
            var code: UInt32 = 0
            var place = 0
            for length in 1...maxLength {
                code <<= 1
                offsets[length] = place - Int(code)
                while place < symbols.count, Int(lengths[symbols[place]]) == length {
                    codes[symbols[place]] = code
                    code += 1
                    place += 1
                }
                limits[length] = code << UInt32(maxLength - length)
            }
        }
    }

    /// Decodes a text.
    ///
    /// - Returns: The bytes; `nil` if the text contains its end, or is not padded as it must be (RFC 7541, section 5.2).
    static func decode(_ input: some Collection<UInt8>) -> [UInt8]? {
        let tables = tables
        var output: [UInt8] = []
        output.reserveCapacity(input.count * 8 / 5)
        var rest = input[...]
        // The bits that are not decoded yet, from the highest on.
        var bits: UInt64 = 0
        var count = 0
        while true {
            while count <= 56, let byte = rest.popFirst() {
                bits |= UInt64(byte) << UInt64(56 - count)
                count += 8
            }
            // Behind the last bit, ones: the code of the end begins with them.
            let padded = UInt32(truncatingIfNeeded: (bits | UInt64.max >> UInt64(count)) >> UInt64(64 - maxLength))
            var length = 5
            while length < maxLength, padded >= tables.limits[length] { length += 1 }
            guard length <= count else {
                let isPadding = count < 8 && padded == 1 << UInt32(maxLength) - 1
                return isPadding ? output : nil
            }
            let symbol = tables.symbols[Int(padded >> UInt32(maxLength - length)) + tables.offsets[length]]
            guard symbol != end else { return nil }
            output.append(UInt8(symbol))
            bits <<= UInt64(length)
            count -= length
        }
    }

    /// Returns the number of bytes that a text takes when it is encoded.
    static func encodedCount(_ text: some Sequence<UInt8>) -> Int {
        (text.reduce(0) { $0 + Int(lengths[Int($1)]) } + 7) / 8
    }

    /// Appends a text, encoded.
    static func encode(_ text: some Sequence<UInt8>, to output: inout [UInt8]) {
        let codes = tables.codes
        var bits: UInt64 = 0
        var count = 0
        for byte in text {
            let length = Int(lengths[Int(byte)])
            bits = bits << UInt64(length) | UInt64(codes[Int(byte)])
            count += length
            while count >= 8 {
                count -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> UInt64(count)))
            }
        }
        guard count > 0 else { return }
        output.append(UInt8(truncatingIfNeeded: bits << UInt64(8 - count)) | 0xFF >> UInt8(count))
    }
}
