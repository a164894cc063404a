/// A target taken apart as RFC 3986 does it (appendix B), which works for any text, and put together again so that no
/// part can become another.
struct TargetParts {
    var scheme: String?
    private var authority: String?
    private var path: String
    /// The query and the fragment, with the signs before them.
    private let rest: String

    init(_ target: String) {
        // By bytes: with a mark behind it a delimiter is one letter to Swift, and a delimiter to everybody else.
        var text = target[...]
        if let colon = text.firstByte(of: ":/?#"), text.utf8[colon] == UInt8(ascii: ":"), colon > text.startIndex {
            scheme = String(text[..<colon])
            text = text[text.utf8.index(after: colon)...]
        }
        if text.utf8.starts(with: "//".utf8) {
            text = text[text.utf8.index(text.startIndex, offsetBy: 2)...]
            let end = text.firstByte(of: "/?#") ?? text.endIndex
            authority = String(text[..<end])
            text = text[end...]
        }
        let end = text.firstByte(of: "?#") ?? text.endIndex
        path = String(text[..<end])
        rest = String(text[end...])
    }

    mutating func setHost(_ host: String, port: Int?) {
        let host = host.isBareAddress ? "[\(host)]" : host.encoding("/?#@\\")
        let user = authority.flatMap { authority in
            authority.utf8.lastIndex(of: UInt8(ascii: "@")).map { String(Substring(authority.utf8[...$0])) }
        }
        authority = (user ?? "") + host + (port.map { ":\($0)" } ?? "")
    }

    mutating func setPath(_ path: String) {
        self.path = path.encoding("?#")
    }

    var target: String {
        var target = scheme.map { "\($0):" } ?? ""
        if let authority { target += "//\(authority)" }
        target += writtenPath
        return target + rest
    }

    /// The path, so that it cannot be taken for a scheme or a host.
    private var writtenPath: String {
        let slash = UInt8(ascii: "/")
        guard authority == nil else { return path.isEmpty || path.utf8.first == slash ? path : "/\(path)" }
        if path.utf8.starts(with: "//".utf8) { return "/" + Substring(path.utf8.drop { $0 == slash }) }
        let isLikeScheme = scheme == nil && path[...].firstByte(of: ":/").map { path.utf8[$0] != slash } ?? false
        return isLikeScheme ? "/\(path)" : path
    }
}

extension Substring {
    /// Where the first of some ASCII characters stands.
    fileprivate func firstByte(of characters: String) -> Index? {
        utf8.firstIndex { characters.utf8.contains($0) }
    }
}

extension String {
    /// Whether this is an address that brackets are wanting of: a colon belongs to a port, and more of them to an
    /// address (RFC 3986, section 3.2.2), which may have a zone (RFC 6874). No other text may be put within brackets as
    /// it is.
    fileprivate var isBareAddress: Bool {
        utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1
            && utf8.allSatisfy { $0.isASCIIAlphanumeric || ":.%-_~".utf8.contains($0) }
    }

    /// This text with some ASCII characters percent-encoded and everything else as it is.
    fileprivate func encoding(_ characters: String) -> String {
        let isLeft: (UInt8) -> Bool = { !characters.utf8.contains($0) }
        guard !utf8.allSatisfy(isLeft) else { return self }
        let bytes = utf8.flatMap { isLeft($0) ? [$0] : Array("%\(String($0, radix: 16, uppercase: true))".utf8) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
