// The few rules of RFC 9110's grammar that decide what may go on the wire.

extension String {
    /// Whether this is a token: a legal method or field name (RFC 9110, section 5.6.2).
    var isToken: Bool {
        !isEmpty && utf8.allSatisfy(\.isTokenByte)
    }

    /// Whether this may be a field's value: no control characters but the tab (RFC 9110, section 5.5).
    var isFieldValue: Bool {
        utf8.allSatisfy { $0 == UInt8(ascii: "\t") || ($0 >= 0x20 && $0 != 0x7F) }
    }

    /// Compares as field names are compared, without allocating.
    func isEqualIgnoringASCIICase(to other: String) -> Bool {
        let (left, right) = (utf8, other.utf8)
        return left.count == right.count && zip(left, right).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }

    /// This string without the spaces and tabs around it.
    var trimmingOptionalWhitespace: Substring {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var rest = self[...].drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }
}

extension UInt8 {
    fileprivate var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }

    fileprivate var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
