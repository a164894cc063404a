/// A URL that is plainly one to send a request to: http or https, a host of a few ASCII characters, perhaps a port, and
/// a path and query in which nothing has to be encoded (RFC 3986, appendix A).
///
/// Most are. One look at the bytes tells, where taking a URL apart into its texts and looking at each of these costs
/// several times as much; what is not plain goes that way.
struct PlainURL {
    let text: String
    /// Where the path begins, in bytes.
    private let path: Int
    /// Where the path ends.
    private let query: Int

    init?(_ text: String) {
        guard let (path, query) = text.utf8.withContiguousBytes({ Self.parts(of: $0) }) else { return nil }
        self.text = text
        self.path = path
        self.query = query
    }

    /// This URL with a relative target's path appended and its query in place of this one's.
    ///
    /// - Returns: `nil` where the target is not plainly a path and query.
    func appending(_ target: String) -> String? {
        guard let end = target.utf8.withContiguousBytes({ Self.queryStart(ofRelative: $0) }) else { return nil }
        let (base, addition) = (text.utf8, target.utf8)
        var joined = ""
        joined.reserveCapacity(base.count + addition.count + 1)
        if end > 0 {
            let start = base.index(base.startIndex, offsetBy: path)
            let own = base[..<base.index(start, offsetBy: query - path)]
            let isSlash: (UInt8) -> Bool = { $0 == UInt8(ascii: "/") }
            let last = own[start...].lastIndex { !isSlash($0) }
            joined += text[..<(last.map { base.index(after: $0) } ?? start)]
            if addition.first != UInt8(ascii: "/") { joined += "/" }
            joined += target
        } else {
            joined += text[..<base.index(base.startIndex, offsetBy: query)]
            joined += target
        }
        if end == addition.count { joined += text[base.index(base.startIndex, offsetBy: query)...] }
        return joined
    }

    /// Where the path of an absolute URL begins and ends; `nil` where it is not plain.
    private static func parts(of bytes: UnsafeBufferPointer<UInt8>) -> (path: Int, query: Int)? {
        guard var place = hostStart(in: bytes) else { return nil }
        let host = place
        while place < bytes.count, bytes[place].isPlainHostByte {
            // Two hyphens are in names that stand for others, in other letters.
            if bytes[place] == UInt8(ascii: "-"), bytes[place - 1] == UInt8(ascii: "-") { return nil }
            place += 1
        }
        guard place > host else { return nil }
        if place < bytes.count, bytes[place] == UInt8(ascii: ":") {
            guard let end = portEnd(in: bytes, from: place + 1) else { return nil }
            place = end
        }
        guard place == bytes.count || bytes[place] == UInt8(ascii: "/") || bytes[place] == UInt8(ascii: "?") else {
            return nil
        }
        return queryStart(in: bytes, from: place).map { (place, $0) }
    }

    private static func hostStart(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var place = 0
        for byte in "http".utf8 {
            guard place < bytes.count, bytes[place] | 0x20 == byte else { return nil }
            place += 1
        }
        if place < bytes.count, bytes[place] | 0x20 == UInt8(ascii: "s") { place += 1 }
        for byte in "://".utf8 {
            guard place < bytes.count, bytes[place] == byte else { return nil }
            place += 1
        }
        return place
    }

    private static func portEnd(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var place = start
        var port = 0
        while place < bytes.count, case UInt8(ascii: "0")...UInt8(ascii: "9") = bytes[place] {
            port = port * 10 + Int(bytes[place] - UInt8(ascii: "0"))
            guard port <= UInt16.max else { return nil }
            place += 1
        }
        return place > start ? place : nil
    }

    /// Where the query of a target without scheme and host begins; `nil` where it is not plainly such a target.
    private static func queryStart(ofRelative bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        let slash = UInt8(ascii: "/")
        if bytes.count > 1, bytes[0] == slash, bytes[1] == slash { return nil }
        // A colon in the first segment would end a scheme.
        for byte in bytes {
            if byte == UInt8(ascii: ":") { return nil }
            if byte == slash || byte == UInt8(ascii: "?") { break }
        }
        return queryStart(in: bytes, from: 0)
    }

    /// Where the first question mark is behind a place, or the end; `nil` where something there is not plain.
    private static func queryStart(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var query = bytes.count
        var place = start
        while place < bytes.count {
            let byte = bytes[place]
            if byte == UInt8(ascii: "%") {
                guard place + 2 < bytes.count, bytes[place + 1].isHexDigit, bytes[place + 2].isHexDigit else {
                    return nil
                }
                place += 2
            } else if byte == UInt8(ascii: "?") {
                query = min(query, place)
            } else if !byte.isPlainPathByte {
                return nil
            }
            place += 1
        }
        return query
    }
}

extension UInt8 {
    fileprivate var isPlainHostByte: Bool {
        isASCIIAlphanumeric || self == UInt8(ascii: ".") || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
    }

    fileprivate var isPlainPathByte: Bool {
        switch self {
        case UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
            UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"),
            UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "@"):
            true
        default:
            isASCIIAlphanumeric
        }
    }

    fileprivate var isHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default:
            false
        }
    }
}
