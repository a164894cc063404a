/// The bytes of an encoded text, and for each the bytes that represent it.
struct DecodedText {
    private(set) var bytes: [UInt8] = []
    /// For each byte, the range of the encoded bytes that represent it.
    private(set) var sources: [Range<Int>] = []

    /// Creates the contents of a JSON string without escapes (RFC 8259, section 7).
    init(json contents: ArraySlice<UInt8>) {
        reserve(contents.count)
        var place = contents.startIndex
        while place < contents.endIndex {
            let (scalar, length) = Self.escape(contents[place...])
            let source = place..<min(place + length, contents.endIndex)
            if let scalar {
                for byte in String(scalar).utf8 { append(byte, source) }
            } else {
                append(contents[place], source)
            }
            place = source.upperBound
        }
    }

    /// Creates a part of a URL or of a form without percent-encoding (RFC 3986, section 2.1).
    init(percentEncoded text: UnsafeBufferPointer<UInt8>, in range: Range<Int>) {
        reserve(range.count)
        var place = range.lowerBound
        while place < range.upperBound {
            if place + 2 < range.upperBound, text.hasEncodedByte(at: place) {
                let digits = String(decoding: text[(place + 1)...(place + 2)], as: UTF8.self)
                append(UInt8(digits, radix: 16) ?? text[place], place..<(place + 3))
                place += 3
            } else {
                append(text[place] == UInt8(ascii: "+") ? UInt8(ascii: " ") : text[place], place..<(place + 1))
                place += 1
            }
        }
    }

    private mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(count)
        sources.reserveCapacity(count)
    }

    private mutating func append(_ byte: UInt8, _ source: Range<Int>) {
        bytes.append(byte)
        sources.append(source)
    }

    /// Returns the range of the encoded bytes that represent some of the bytes.
    func source(of range: Range<Int>) -> Range<Int> {
        let end = sources.last?.upperBound ?? 0
        let start = range.lowerBound < sources.count ? sources[range.lowerBound].lowerBound : end
        return start..<(range.last.map { sources[$0].upperBound } ?? start)
    }

    /// - Returns: The escaped character at the beginning, `nil` if there is none, and its length in bytes.
    private static func escape(_ contents: ArraySlice<UInt8>) -> (Unicode.Scalar?, length: Int) {
        guard contents.first == UInt8(ascii: "\\"), let letter = contents.dropFirst().first else { return (nil, 1) }
        switch letter {
        case UInt8(ascii: "u"):
            let code = UInt32(String(decoding: contents.dropFirst(2).prefix(4), as: UTF8.self), radix: 16)
            // Half of a surrogate pair is in no name.
            return (code.flatMap { Unicode.Scalar($0) } ?? "\u{FFFD}", 6)
        case UInt8(ascii: "n"): return ("\n", 2)
        case UInt8(ascii: "r"): return ("\r", 2)
        case UInt8(ascii: "t"): return ("\t", 2)
        case UInt8(ascii: "b"): return ("\u{8}", 2)
        case UInt8(ascii: "f"): return ("\u{C}", 2)
        default: return (Unicode.Scalar(letter), 2)
        }
    }
}
