// The rules of RFC 9110's grammar that validate methods and header fields.

extension String {
    /// Whether this is a token: a valid method or field name (RFC 9110, section 5.6.2).
    package var isToken: Bool {
        !isEmpty && utf8.allAre(\.isTokenByte)
    }

    /// Whether this is a valid field value: no control characters except tabs (RFC 9110, section 5.5).
    var isFieldValue: Bool {
        utf8.allAre { $0 == UInt8(ascii: "\t") || ($0 >= 0x20 && $0 != 0x7F) }
    }

    /// The size in bytes up to which servers can be expected to accept a text in a field or in a target. RFC 9112, section
    /// 3, recommends it for request lines.
    static let maxReturnedSize = 8000

    /// Returns whether the strings are equal ignoring ASCII case, as field names are compared. Does not allocate.
    func isEqualIgnoringASCIICase(to other: String) -> Bool {
        let count = utf8.count
        guard count == other.utf8.count else { return false }
        return utf8.withContiguousBytes { left in
            other.utf8.withContiguousBytes { right in
                var place = 0
                // Equal names mostly have the same case, which is faster to compare.
                while place < count, left[place] == right[place] { place += 1 }
                while place < count, left[place].lowercasedASCII == right[place].lowercasedASCII { place += 1 }
                return place == count
            }
        }
    }

    /// The string without leading and trailing spaces and tabs.
    var trimmingOptionalWhitespace: Substring {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var rest = self[...].drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }
}

extension FieldText {
    /// Whether a server's text can be sent back in a header field: a field value that is not blank, and that servers
    /// can be expected to accept. A server can choose any text, and the client would refuse the request, or the server.
    var isReturnable: Bool {
        byteCount <= String.maxReturnedSize && string.isFieldValue && !string.trimmingOptionalWhitespace.isEmpty
    }
}

extension StringProtocol {
    /// Whether this consists of decimal digits.
    var isDecimal: Bool {
        !isEmpty && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// The value of decimal digits; `nil` for any other text, and for numbers that are too large.
    var decimalNumber: Int64? {
        // `Int64` also accepts a sign.
        isDecimal ? Int64(self) : nil
    }
}

extension String.UTF8View {
    /// Returns whether all bytes satisfy a predicate.
    @inline(__always)
    func allAre(_ isLegal: (UInt8) -> Bool) -> Bool {
        withContiguousBytes { $0.allSatisfy(isLegal) }
    }
}

extension Collection<UInt8> {
    /// Looks at the bytes where they lie, which costs a fraction of going through them one by one. Only what comes from
    /// Objective-C has them in other places, and is copied.
    @inline(__always)
    func withContiguousBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withContiguousStorageIfAvailable(body) ?? Array(self).withUnsafeBufferPointer(body)
    }
}

extension UInt8 {
    var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default:
            "!#$%&'*+.^_`|~".utf8.contains(self)
        }
    }

    var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
