/// A set of ASCII characters. Its membership test takes only a few instructions.
struct ASCIISet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ characters: String) {
        for byte in characters.utf8 {
            if byte < 64 { low |= 1 << UInt64(byte) } else if byte < 128 { high |= 1 << UInt64(byte - 64) }
        }
    }

    func union(_ characters: String) -> ASCIISet {
        var union = ASCIISet(characters)
        union.low |= low
        union.high |= high
        return union
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? low : high) & (1 << UInt64(byte & 63)) != 0
    }

    static let alphanumerics = ASCIISet("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    fileprivate static let hexDigits = ASCIISet("0123456789ABCDEFabcdef")
    /// The unreserved characters, which are legal anywhere in a URL (RFC 3986, section 2.3).
    static let unreserved = alphanumerics.union("-._~")
}

/// A writer of text into a buffer that is large enough for it.
struct ByteWriter {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    fileprivate private(set) var count = 0

    fileprivate init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        self.buffer = buffer
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        guard count < buffer.count else { return }
        buffer[count] = byte
        count += 1
    }

    mutating func append(_ text: some StringProtocol) {
        text.utf8.withContiguousBytes { bytes in
            let free = UnsafeMutableBufferPointer(rebasing: buffer[count...])
            count += free.initialize(fromContentsOf: bytes.prefix(free.count))
        }
    }

    @inline(__always)
    mutating func append(_ text: some StringProtocol, encoding isEncoded: (UInt8) -> Bool) {
        text.utf8.withContiguousBytes { bytes in
            for byte in bytes { append(byte, isEncoded: isEncoded(byte)) }
        }
    }

    /// Appends a text with the bytes outside of a set percent-encoded. Bytes that are percent-encoded already stay as
    /// they are, as in the percent-encoding of the WHATWG's URL standard.
    mutating func append(_ text: some StringProtocol, encodingAllBut allowed: ASCIISet) {
        text.utf8.withContiguousBytes { bytes in
            for (place, byte) in bytes.enumerated() {
                append(byte, isEncoded: !allowed.contains(byte) && !bytes.hasEncodedByte(at: place))
            }
        }
    }

    /// Appends a byte, or its percent-encoding.
    @inline(__always)
    mutating func append(_ byte: UInt8, isEncoded: Bool) {
        guard isEncoded else { return append(byte) }
        append(UInt8(ascii: "%"))
        append(Self.hexDigit(byte >> 4))
        append(Self.hexDigit(byte & 15))
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

extension [UInt8] {
    /// Creates an array of at most `maxCount` bytes.
    init(maxCount: Int, _ write: (inout ByteWriter) -> Void) {
        self.init(unsafeUninitializedCapacity: maxCount) { buffer, count in
            var writer = ByteWriter(buffer)
            write(&writer)
            count = writer.count
        }
    }
}

extension String {
    /// Creates a string of at most `maxCount` bytes of UTF-8.
    init(maxCount: Int, _ write: (inout ByteWriter) -> Void) {
        self.init(unsafeUninitializedCapacity: maxCount) { buffer in
            var writer = ByteWriter(buffer)
            write(&writer)
            return writer.count
        }
    }

    /// This string with every byte but RFC 3986's unreserved characters (section 2.3) percent-encoded.
    var percentEncoded: String {
        let unreserved = ASCIISet.unreserved
        return percentEncoded { !unreserved.contains($0) }
    }

    /// Returns this string with some of its bytes percent-encoded.
    func percentEncoded(where isEncoded: (UInt8) -> Bool) -> String {
        guard utf8.contains(where: isEncoded) else { return self }
        return String(maxCount: utf8.count * 3) { $0.append(self, encoding: isEncoded) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns whether a percent sign and two hexadecimal digits are at a place.
    @inline(__always)
    func hasEncodedByte(at place: Int) -> Bool {
        self[place] == UInt8(ascii: "%") && place + 2 < count && ASCIISet.hexDigits.contains(self[place + 1])
            && ASCIISet.hexDigits.contains(self[place + 2])
    }
}

extension Substring.UTF8View {
    /// The percent-decoded bytes of this text. A percent sign without two hexadecimal digits represents itself.
    package var percentDecoded: [UInt8] {
        var bytes: [UInt8] = []
        var rest = self
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count > 1, rest.prefix(2).allSatisfy(\.isASCIIAlphanumeric),
                let code = UInt8(Substring(rest.prefix(2)), radix: 16)
            {
                rest = rest.dropFirst(2)
                bytes.append(code)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}

extension UInt8 {
    var isASCIIAlphanumeric: Bool { ASCIISet.alphanumerics.contains(self) }
}
