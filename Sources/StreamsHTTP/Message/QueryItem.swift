/// One parameter of a URL's query.
public struct QueryItem: Hashable, Sendable {
    public var name: String
    /// The value; `nil` for a name that stands alone, without `=`.
    public var value: String?

    public init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }
}

extension Sequence<QueryItem> {
    /// The items as a query: everything but RFC 3986's unreserved characters is percent-encoded, so that a name or
    /// value cannot change the query's structure.
    var percentEncodedQuery: String {
        map { item in
            let name = item.name.percentEncoded
            return item.value.map { "\(name)=\($0.percentEncoded)" } ?? name
        }.joined(separator: "&")
    }
}

extension String {
    /// This string with every byte but RFC 3986's unreserved characters (section 2.3) percent-encoded.
    var percentEncoded: String {
        var encoded = ""
        encoded.reserveCapacity(utf8.count)
        for byte in utf8 {
            if byte.isUnreserved {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += byte < 16 ? "%0" : "%"
                encoded += String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}

extension UInt8 {
    fileprivate var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "-._~".utf8.contains(self)
        }
    }
}
