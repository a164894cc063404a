extension String {
    /// This string with every byte but RFC 3986's unreserved characters (section 2.3) percent-encoded.
    var percentEncoded: String {
        // Most have nothing to encode.
        utf8.allAre(\.isUnreserved) ? self : percentEncoded { $0.isUnreserved ? $0 : nil }
    }

    /// This string with its bytes replaced.
    ///
    /// - Parameter replacement: What stands for a byte; `nil` for its percent-encoding.
    func percentEncoded(_ replacement: (UInt8) -> UInt8?) -> String {
        var encoded = ""
        encoded.reserveCapacity(utf8.count)
        for byte in utf8 {
            if let replacement = replacement(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(replacement))
            } else {
                encoded += byte < 16 ? "%0" : "%"
                encoded += String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }

    /// Makes a path of segments, each percent-encoded, so that none can lead to another place.
    ///
    /// ```swift
    /// String(pathComponents: ["users", "a/b", "größe"])    // users/a%2Fb/gr%C3%B6%C3%9Fe
    /// ```
    ///
    /// A segment that is `.` or `..` is encoded too, though servers may take `%2E` for what it stands for (RFC 3986,
    /// section 6.2.2.2): what comes from outside is checked where it is known what it may be.
    public init(pathComponents: some Sequence<String>) {
        self = pathComponents.map { component in
            component == "." || component == ".." ? component.replacing(".", with: "%2E") : component.percentEncoded
        }.joined(separator: "/")
    }

    /// Makes a path of segments, each percent-encoded, so that none can lead to another place.
    public init(pathComponents: String...) {
        self.init(pathComponents: pathComponents)
    }
}

extension UInt8 {
    /// Whether this may stand anywhere in a URL as it is (RFC 3986, section 2.3).
    fileprivate var isUnreserved: Bool { isASCIIAlphanumeric || "-._~".utf8.contains(self) }

    var isASCIIAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            false
        }
    }
}
