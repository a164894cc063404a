/// A redactor of the values of certain JSON members and of the URLs in others, byte for byte.
///
/// It needs no valid document: it also redacts fragments of JSON, JSON inside of other text, and documents in strings.
struct JSONRedactor {
    private var bytes: [UInt8]
    private let redaction: Redaction
    private var position = 0

    /// - Parameter redaction: The names of secret members, and of secret parameters of URLs.
    init(_ bytes: [UInt8], _ redaction: Redaction) {
        self.bytes = bytes
        self.redaction = redaction
    }

    /// Returns as many bytes, in which each byte of a secret string is an asterisk and each digit of a number a one.
    mutating func redacted() -> [UInt8] {
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "\"") else {
                position += 1
                continue
            }
            let contents = readString()
            let text = DecodedText(json: bytes[contents])
            skipWhitespace()
            if position < bytes.count, bytes[position] == UInt8(ascii: ":") {
                position += 1
                skipWhitespace()
                if redaction.isSecret(String(decoding: text.bytes, as: UTF8.self)) { redactValue() }
            } else {
                if text.bytes.contains(UInt8(ascii: "\"")) { redactDocument(text) }
                for secret in redaction.secrets(inText: text.bytes) { hide(text.source(of: secret.hidden)) }
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
                hide(readString())
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
    private mutating func redactDocument(_ text: DecodedText) {
        var redactor = JSONRedactor(text.bytes, redaction)
        let redacted = redactor.redacted()
        for index in redacted.indices where redacted[index] != text.bytes[index] {
            for place in text.sources[index] { bytes[place] = redacted[index] }
        }
    }

    private mutating func hide(_ range: Range<Int>) {
        for index in range { bytes[index] = UInt8(ascii: "*") }
    }
}
