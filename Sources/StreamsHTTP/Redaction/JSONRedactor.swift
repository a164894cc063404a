/// A redactor of the values of certain JSON members, byte for byte.
///
/// It needs no valid document: it also redacts fragments of JSON, JSON inside of other text, and documents in strings.
struct JSONRedactor {
    private var bytes: [UInt8]
    private let isSecret: (String) -> Bool
    private var position = 0

    /// - Parameter isSecret: Returns whether the value of a member with a name is secret.
    init(_ bytes: [UInt8], isSecret: @escaping (String) -> Bool) {
        self.bytes = bytes
        self.isSecret = isSecret
    }

    /// Returns as many bytes, in which each byte of a secret string is an asterisk and each digit of a number a one.
    mutating func redacted() -> [UInt8] {
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "\"") else {
                position += 1
                continue
            }
            let contents = readString()
            let text = UnescapedText(bytes[contents])
            skipWhitespace()
            if position < bytes.count, bytes[position] == UInt8(ascii: ":") {
                position += 1
                skipWhitespace()
                if isSecret(String(decoding: text.bytes, as: UTF8.self)) { redactValue() }
            } else if text.bytes.contains(UInt8(ascii: "\"")) {
                redactDocument(text, in: contents)
            }
        }
        return bytes
    }

    /// Reads a string, which may be unterminated.
    ///
    /// - Returns: The range of its contents.
    private mutating func readString() -> Range<Int> {
        let start = position + 1
        position = start
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        let end = min(position, bytes.count)
        position = min(end + 1, bytes.count)
        return start..<end
    }

    private mutating func skipWhitespace() {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
    }

    /// Redacts a value: a string, a number, or everything in an object or an array.
    private mutating func redactValue() {
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                for index in readString() { bytes[index] = UInt8(ascii: "*") }
                if depth == 0 { return }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                // The end of the enclosing object is not part of the value.
                if depth < 0 { return }
                position += 1
                if depth == 0 { return }
            case UInt8(ascii: ",") where depth == 0:
                return
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                bytes[position] = UInt8(ascii: "1")
                position += 1
            default:
                position += 1
            }
        }
    }

    /// Redacts a JSON document that is the contents of a string.
    private mutating func redactDocument(_ text: UnescapedText, in contents: Range<Int>) {
        var redactor = JSONRedactor(text.bytes, isSecret: isSecret)
        let redacted = redactor.redacted()
        for index in redacted.indices where redacted[index] != text.bytes[index] {
            for place in text.sources[index] { bytes[place] = redacted[index] }
        }
    }
}

/// The contents of a JSON string without escapes (RFC 8259, section 7).
private struct UnescapedText {
    private(set) var bytes: [UInt8] = []
    /// For each byte, the range of the bytes that represent it.
    private(set) var sources: [Range<Int>] = []

    init(_ contents: ArraySlice<UInt8>) {
        bytes.reserveCapacity(contents.count)
        sources.reserveCapacity(contents.count)
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

    private mutating func append(_ byte: UInt8, _ source: Range<Int>) {
        bytes.append(byte)
        sources.append(source)
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
