/// A text of a field, or of a command line, with the bytes that it stands for.
///
/// A field is a sequence of bytes without an encoding (RFC 9110, section 5.5). Bytes that are valid UTF-8 are read as
/// UTF-8, and all others as ISO-8859-1, in which each byte is the character with its number. Neither reading loses a
/// byte, so the text and the name of its encoding are as good as the bytes, and no copy of these is kept.
package struct FieldText: Sendable {
    /// The text.
    package private(set) var string: String
    /// Whether the text is one of ISO-8859-1, because its bytes are not valid UTF-8.
    package private(set) var isLatin1 = false

    /// Creates the text of a string, whose bytes are those of UTF-8.
    package init(_ string: String) {
        self.string = string
    }

    /// Creates the text of bytes.
    package init(bytes: some Collection<UInt8>) {
        if let string = String(validating: bytes, as: UTF8.self) {
            self.string = string
        } else {
            string = String(latin1: bytes)
            isLatin1 = true
        }
    }

    /// Creates the text of a variable of the environment; `nil` if there is none, or if it is empty.
    package init?(environment name: String) {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        self.init(bytes: UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }

    /// Creates the text of a part of another one.
    package init(_ part: Substring, of text: FieldText) {
        if text.isLatin1 {
            // A part of bytes that are not valid UTF-8 may be valid.
            self.init(bytes: part.latin1Bytes)
        } else {
            self.init(String(part))
        }
    }

    /// The bytes.
    package var bytes: [UInt8] { isLatin1 ? string[...].latin1Bytes : Array(string.utf8) }

    package var isEmpty: Bool { string.isEmpty }

    /// The number of bytes.
    var byteCount: Int { isLatin1 ? string.unicodeScalars.count : string.utf8.count }

    /// The text as a part of a URL. Bytes that are not valid UTF-8 are percent-encoded one by one (RFC 3986, section
    /// 2.1), because the text's own characters would become other bytes.
    package var urlText: String {
        guard isLatin1 else { return string }
        let bytes = bytes
        return String(maxCount: bytes.count * 3) { writer in
            for byte in bytes { writer.append(byte, isEncoded: byte >= 0x80) }
        }
    }

    /// Appends an ASCII separator and a text. No character extends over the separator, so no bytes need be read again.
    package mutating func append(_ separator: String, _ other: FieldText) {
        let isMixed = isLatin1 != other.isLatin1
        if isMixed { string = latin1String }
        string += separator
        string += isMixed ? other.latin1String : other.string
        isLatin1 = isLatin1 || other.isLatin1
    }

    /// The bytes as ISO-8859-1.
    private var latin1String: String { isLatin1 ? string : String(latin1: string.utf8) }

    /// Returns the text that a closure makes of this one by removing characters and inserting others of ASCII. The bytes
    /// of the characters that remain are the same.
    func map(_ transform: (String) -> String) -> FieldText {
        FieldText(transform(string)[...], of: self)
    }
}

extension FieldText: Hashable {
    /// Returns whether the bytes are equal. Texts that Unicode considers equivalent may differ.
    package static func == (left: FieldText, right: FieldText) -> Bool {
        left.isLatin1 == right.isLatin1
            && left.string.utf8.withContiguousBytes { left in
                right.string.utf8.withContiguousBytes { left.elementsEqual($0) }
            }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(string)
    }
}

extension FieldText: ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) {
        self.init(value)
    }
}

/// A text whose bytes are not valid UTF-8 is encoded as an object with these bytes, and every other one as a string.
extension FieldText: Codable {
    private enum CodingKeys: String, CodingKey {
        case base64
    }

    package init(from decoder: any Decoder) throws {
        if let string = try? decoder.singleValueContainer().decode(String.self) {
            self.init(string)
        } else {
            self.init(bytes: try decoder.container(keyedBy: CodingKeys.self).decode(Data.self, forKey: .base64))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        if isLatin1 {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(Data(bytes), forKey: .base64)
        } else {
            var container = encoder.singleValueContainer()
            try container.encode(string)
        }
    }
}

extension Sequence<FieldText> {
    /// Returns the texts as one, with an ASCII separator between them.
    package func joined(separator: String) -> FieldText {
        var joined: FieldText?
        for text in self { joined?.append(separator, text) ?? (joined = text) }
        return joined ?? ""
    }
}

extension ByteWriter {
    /// Appends the bytes of a text.
    mutating func append(_ text: FieldText) {
        guard text.isLatin1 else { return append(text.string) }
        for scalar in text.string.unicodeScalars { append(UInt8(truncatingIfNeeded: scalar.value)) }
    }
}

extension String {
    fileprivate init(latin1 bytes: some Sequence<UInt8>) {
        self.init(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

extension Substring {
    /// The bytes of a text of ISO-8859-1.
    fileprivate var latin1Bytes: [UInt8] { unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
}
