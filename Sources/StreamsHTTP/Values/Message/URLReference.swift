/// A URL, or a reference relative to one, split at its delimiters (RFC 3986, appendix B). Any text can be split.
///
/// One pass over the bytes finds the components and whether they need encoding. Characters do not matter: a delimiter
/// that a combining mark follows is another character to Swift, but remains a delimiter in a URL.
struct URLReference: Sendable {
    /// A path, a query or a fragment, without the delimiter before it.
    struct Component: Sendable {
        /// The component's place in the text, in bytes.
        let range: Range<Int>
        /// Whether each byte is legal in this component or part of a percent-encoded byte.
        let isEncoded: Bool
    }

    let text: String
    private(set) var scheme: Range<Int>?
    private(set) var authority: Range<Int>?
    private(set) var path = Component(range: 0..<0, isEncoded: true)
    private(set) var query: Component?
    private(set) var fragment: Component?
    /// Whether the scheme is http or https.
    private(set) var isHTTP = false
    /// Whether the authority is a host of the usual characters, without user information, and perhaps a port.
    private(set) var hasPlainAuthority = false

    init(_ text: String) {
        self.text = text
        text.utf8.withContiguousBytes { split($0) }
    }

    private mutating func split(_ bytes: UnsafeBufferPointer<UInt8>) {
        var place = 0
        if let end = bytes.firstIndex(where: ASCIISet.schemeEnd.contains), bytes[end] == UInt8(ascii: ":") {
            scheme = 0..<end
            isHTTP = Self.isHTTP(bytes, upTo: end)
            place = end + 1
        }
        let slash = UInt8(ascii: "/")
        if place + 1 < bytes.count, bytes[place] == slash, bytes[place + 1] == slash {
            let start = place + 2
            place = bytes[start...].firstIndex(where: ASCIISet.authorityEnd.contains) ?? bytes.count
            authority = start..<place
            hasPlainAuthority = Self.isPlain(bytes, start..<place)
        }
        path = Self.component(of: bytes, from: place, allowed: .path)
        place = path.range.upperBound
        if place < bytes.count, bytes[place] == UInt8(ascii: "?") {
            let query = Self.component(of: bytes, from: place + 1, allowed: .query)
            self.query = query
            place = query.range.upperBound
        }
        if place < bytes.count {
            fragment = Self.component(of: bytes, from: place + 1, allowed: .query, isFragment: true)
        }
    }

    private static func isHTTP(_ bytes: UnsafeBufferPointer<UInt8>, upTo end: Int) -> Bool {
        guard end == 4 || end == 5 && bytes[4] | 0x20 == UInt8(ascii: "s") else { return false }
        return bytes[0] | 0x20 == UInt8(ascii: "h") && bytes[1] | 0x20 == UInt8(ascii: "t")
            && bytes[2] | 0x20 == UInt8(ascii: "t") && bytes[3] | 0x20 == UInt8(ascii: "p")
    }

    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>, _ authority: Range<Int>) -> Bool {
        let (plain, hyphen) = (ASCIISet.plainHost, UInt8(ascii: "-"))
        var place = authority.lowerBound
        while place < authority.upperBound, plain.contains(bytes[place]) {
            // Two hyphens are in names that represent others, in other scripts.
            if bytes[place] == hyphen, bytes[place - 1] == hyphen { return false }
            place += 1
        }
        guard place > authority.lowerBound else { return false }
        guard place < authority.upperBound else { return true }
        guard bytes[place] == UInt8(ascii: ":"), place + 1 < authority.upperBound else { return false }
        var port = 0
        for byte in bytes[(place + 1)..<authority.upperBound] {
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = byte, port <= UInt16.max else { return false }
            port = port * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return port <= UInt16.max
    }

    /// Returns the component that begins at a place and ends before the next delimiter.
    private static func component(
        of bytes: UnsafeBufferPointer<UInt8>, from start: Int, allowed: ASCIISet, isFragment: Bool = false
    ) -> Component {
        var place = start
        var isEncoded = true
        while place < bytes.count {
            let byte = bytes[place]
            if allowed.contains(byte) {
                place += 1
            } else if bytes.hasEncodedByte(at: place) {
                place += 3
            } else if !isFragment, byte == UInt8(ascii: "#") || byte == UInt8(ascii: "?") {
                break
            } else {
                isEncoded = false
                place += 1
            }
        }
        return Component(range: start..<place, isEncoded: isEncoded)
    }
}

extension URLReference {
    /// Whether every component is legal as it is.
    var isEncoded: Bool {
        path.isEncoded && query?.isEncoded ?? true && fragment?.isEncoded ?? true
    }

    /// Whether a segment of the path is `.` or `..`.
    var hasDotSegments: Bool {
        let (dot, slash) = (UInt8(ascii: "."), UInt8(ascii: "/"))
        return text.utf8.withContiguousBytes { bytes in
            guard let base = bytes.baseAddress else { return false }
            let (first, end) = (path.range.lowerBound, path.range.upperBound)
            var place = first
            while let found = memchr(base + place, CInt(dot), end - place) {
                let start = UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
                place = start + 1
                guard start == first || bytes[start - 1] == slash else { continue }
                let next = place < end && bytes[place] == dot ? place + 1 : place
                if next == end || bytes[next] == slash { return true }
            }
            return false
        }
    }

    subscript(range: Range<Int>) -> Substring {
        let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
        return Substring(text.utf8[start..<text.utf8.index(start, offsetBy: range.count)])
    }

    /// The place of the authority's host and port, after any user information.
    var hostAndPort: Range<Int>? {
        authority.map { range in
            let authority = self[range].utf8
            let sign = authority.lastIndex(of: UInt8(ascii: "@"))
            let count = sign.map { authority.distance(from: $0, to: authority.endIndex) - 1 } ?? range.count
            return range.upperBound - count..<range.upperBound
        }
    }

    /// Returns whether the query has an item of a name, however that is encoded.
    func hasQueryItem(named name: String) -> Bool {
        guard let query else { return false }
        return self[query.range].utf8.split(separator: UInt8(ascii: "&")).contains { $0.isQueryItem(named: name) }
    }

    /// Returns the text without the query's items of a name, however that is encoded.
    func removingQueryItems(named name: String) -> String {
        guard let query, hasQueryItem(named: name) else { return text }
        let kept = self[query.range].utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .filter { !$0.isQueryItem(named: name) }.map { Substring($0) }.joined(separator: "&")
        let mark = query.range.lowerBound - 1
        return self[0..<mark] + (kept.isEmpty ? "" : "?\(kept)") + self[query.range.upperBound..<text.utf8.count]
    }

    /// Returns the text with some components replaced, written so that none can be taken for another.
    func replacing(scheme: String? = nil, authority: String? = nil, path: String? = nil) -> String {
        let scheme = scheme ?? self.scheme.map { String(self[$0]) }
        let authority = authority ?? self.authority.map { String(self[$0]) }
        var path = path ?? String(self[self.path.range])
        let slash = UInt8(ascii: "/")
        if authority != nil {
            if !path.isEmpty, path.utf8.first != slash { path = "/\(path)" }
        } else if path.utf8.starts(with: "//".utf8) {
            path = "/" + Substring(path.utf8.drop { $0 == slash })
        } else if scheme == nil, URLReference(path).scheme != nil {
            path = "/\(path)"
        }
        return (scheme.map { "\($0):" } ?? "") + (authority.map { "//\($0)" } ?? "") + path
            + self[self.path.range.upperBound..<text.utf8.count]
    }

    /// Returns the text with another host and port; user information stays. Without a scheme, it becomes https.
    func replacing(host: String, port: Int?) -> String {
        let host = host.isBareAddress ? "[\(host)]" : host.percentEncoded { "/?#@\\".utf8.contains($0) }
        let user = authority.flatMap { range in hostAndPort.map { self[range.lowerBound..<$0.lowerBound] } }
        return replacing(
            scheme: scheme == nil ? HTTPRequest.Scheme.https.rawValue : nil,
            authority: (user ?? "") + host + (port.map { ":\($0)" } ?? ""))
    }
}

extension Substring.UTF8View {
    /// Returns whether this item of a query has a name.
    fileprivate func isQueryItem(named name: String) -> Bool {
        prefix { $0 != UInt8(ascii: "=") }.percentDecoded.elementsEqual(name.utf8)
    }
}

extension String {
    /// Whether this is an address that needs brackets: one colon precedes a port, several are part of an address
    /// (RFC 3986, section 3.2.2), which may have a zone (RFC 6874). No other text may be put in brackets as it is.
    fileprivate var isBareAddress: Bool {
        utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1
            && utf8.allSatisfy { $0.isASCIIAlphanumeric || ":.%-_~".utf8.contains($0) }
    }
}

extension ASCIISet {
    /// The delimiters that end a scheme or show that there is none. An at sign or a bracket belongs to a host, whose
    /// port follows a colon too.
    fileprivate static let schemeEnd = ASCIISet(":/?#[]@")
    fileprivate static let authorityEnd = ASCIISet("/?#")
    /// The characters of the usual names and of IPv4 addresses.
    static let plainHost = alphanumerics.union("-._")
    /// The characters of paths (RFC 3986, section 3.3).
    static let path = unreserved.union("!$&'()*+,;=:@/")
    /// The characters of queries and fragments (RFC 3986, section 3.4).
    static let query = path.union("?")
}
