extension HTTPResponse where Body == Data {
    /// Returns the body as text, in the charset that its `Content-Type` declares; UTF-8 if it declares none.
    ///
    /// UTF-8, US-ASCII, ISO-8859-1, Windows-1252 and UTF-16 are supported. A byte order mark is not part of the text.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if the charset is not supported, or if the body is not valid in it.
    public func text() throws(DecodingError) -> String {
        let charset = headers["Content-Type"].flatMap { MediaType($0).charset } ?? "utf-8"
        guard let known = Charset(charset) else {
            throw .corrupted("the charset \(charset.debugDescription) is not known")
        }
        guard let text = known.decode(body) else { throw .corrupted("the body is not \(charset)") }
        return text
    }
}

extension DecodingError {
    fileprivate static func corrupted(_ description: String) -> DecodingError {
        .dataCorrupted(Context(codingPath: [], debugDescription: description))
    }
}

/// A supported charset.
private enum Charset {
    case utf8, ascii, latin1, windows1252, utf16, utf16BigEndian, utf16LittleEndian

    /// Creates a charset; `nil` if it is not supported.
    ///
    /// - Parameter name: A name of IANA's registry, in lowercase.
    init?(_ name: String) {
        switch name {
        case "utf-8", "utf8": self = .utf8
        case "us-ascii", "ascii": self = .ascii
        case "iso-8859-1", "latin1", "l1", "iso_8859-1": self = .latin1
        case "windows-1252", "cp1252": self = .windows1252
        case "utf-16": self = .utf16
        case "utf-16be": self = .utf16BigEndian
        case "utf-16le": self = .utf16LittleEndian
        default: return nil
        }
    }

    func decode(_ data: Data) -> String? {
        switch self {
        case .utf8:
            String(validating: data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data, as: UTF8.self)
        case .ascii:
            data.allSatisfy { $0 < 0x80 } ? String(decoding: data, as: UTF8.self) : nil
        case .latin1:
            String(String.UnicodeScalarView(data.map { Unicode.Scalar($0) }))
        case .windows1252:
            Self.decodeWindows1252(data)
        case .utf16:
            // Without a byte order mark, UTF-16 is big-endian (RFC 2781, section 4.3).
            Self.decodeUTF16(data, isBigEndian: !data.starts(with: [0xFF, 0xFE]))
        case .utf16BigEndian:
            Self.decodeUTF16(data, isBigEndian: true)
        case .utf16LittleEndian:
            Self.decodeUTF16(data, isBigEndian: false)
        }
    }

    private static func decodeUTF16(_ data: Data, isBigEndian: Bool) -> String? {
        guard data.count.isMultiple(of: 2) else { return nil }
        var units = stride(from: data.startIndex, to: data.endIndex, by: 2).map { place in
            let (first, second) = (UInt16(data[place]), UInt16(data[place + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        if units.first == 0xFEFF { units.removeFirst() }
        return String(validating: units, as: UTF16.self)
    }

    private static func decodeWindows1252(_ data: Data) -> String? {
        var text = String.UnicodeScalarView()
        for byte in data {
            guard 0x80..<0xA0 ~= byte else {
                text.append(Unicode.Scalar(byte))
                continue
            }
            guard let scalar = windows1252Extras[Int(byte) - 0x80] else { return nil }
            text.append(scalar)
        }
        return String(text)
    }

    /// The characters of bytes 0x80 to 0x9F, which are control characters in ISO-8859-1.
    private static let windows1252Extras: [Unicode.Scalar?] = [
        "\u{20AC}", nil, "\u{201A}", "\u{0192}", "\u{201E}", "\u{2026}", "\u{2020}", "\u{2021}",
        "\u{02C6}", "\u{2030}", "\u{0160}", "\u{2039}", "\u{0152}", nil, "\u{017D}", nil,
        nil, "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{2022}", "\u{2013}", "\u{2014}",
        "\u{02DC}", "\u{2122}", "\u{0161}", "\u{203A}", "\u{0153}", nil, "\u{017E}", "\u{0178}",
    ]
}

extension HTTPResponse<Data> {
    /// Returns the body as a value: a `String` is the body's ``text()``, `Data` is the body itself, and any other value
    /// is decoded.
    ///
    /// A client decodes the response to an ``Endpoint`` itself. This is for the response to an ``HTTPRequest``, for
    /// interceptors, and for ``Endpoint/decode(_:using:)``.
    ///
    /// - Throws: The error of the decoder, or that of ``text()``.
    public func decoded<Value: Decodable>(
        as type: Value.Type, decoder: any DataDecoder = JSONDecoder()
    ) throws -> Value {
        // Types are compared first, because casts are slow.
        if Value.self == Data.self || Value.self == Data?.self, let data = body as? Value { return data }
        if Value.self == String.self, let text = try text() as? Value { return text }
        return try decoder.decode(Value.self, from: body)
    }
}
