/// A target taken apart as RFC 3986 does it (appendix B), which works for any text, and put together again so that no
/// part can become another.
struct TargetParts {
    var scheme: String?
    private var authority: String?
    private var path: String
    /// The query and the fragment, with the signs before them.
    private let rest: String

    init(_ target: String) {
        var text = target[...]
        if let colon = text.firstIndex(where: { ":/?#".contains($0) }), text[colon] == ":", colon > text.startIndex {
            scheme = String(text[..<colon])
            text = text[text.index(after: colon)...]
        }
        if text.hasPrefix("//") {
            text = text.dropFirst(2)
            let end = text.firstIndex { "/?#".contains($0) } ?? text.endIndex
            authority = String(text[..<end])
            text = text[end...]
        }
        let end = text.firstIndex { "?#".contains($0) } ?? text.endIndex
        path = String(text[..<end])
        rest = String(text[end...])
    }

    mutating func setHost(_ host: String, port: Int?) {
        // A colon belongs to a port, and more of them to an address (RFC 3986, section 3.2.2).
        let isAddress = host.count(where: { $0 == ":" }) > 1 && !host.hasPrefix("[")
        let host = isAddress ? "[\(host)]" : host.encoding("/?#@\\")
        let end = authority?.lastIndex(of: "@")
        let user = authority.flatMap { authority in end.map { String(authority[...$0]) } } ?? ""
        authority = user + host + (port.map { ":\($0)" } ?? "")
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
        guard authority == nil else { return path.isEmpty || path.hasPrefix("/") ? path : "/\(path)" }
        if path.hasPrefix("//") { return "/" + path.drop { $0 == "/" } }
        let colon = path.firstIndex { ":/".contains($0) }
        let isLikeScheme = scheme == nil && colon.map { path[$0] == ":" } ?? false
        return isLikeScheme ? "/\(path)" : path
    }
}

extension String {
    /// This text with some ASCII characters percent-encoded and everything else as it is.
    fileprivate func encoding(_ characters: String) -> String {
        let isLeft: (UInt8) -> Bool = { !characters.utf8.contains($0) }
        guard !utf8.allSatisfy(isLeft) else { return self }
        let bytes = utf8.flatMap { isLeft($0) ? [$0] : Array("%\(String($0, radix: 16, uppercase: true))".utf8) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
