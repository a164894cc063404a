import StreamsHTTP

/// The scheme of a URL of the command line that has none.
enum DefaultScheme: String {
    case http
    case ws
}

extension String {
    /// Returns this URL with a scheme in front of its host, if it begins with a host or with user information.
    func adding(_ scheme: DefaultScheme) -> String {
        beginsWithHost ? "\(scheme)://\(self)" : self
    }

    /// Whether this URL begins with a host or with user information, and not with a scheme. As with curl, a scheme ends
    /// with a colon and a slash, since a port or a password may follow a colon. A reference such as `/path` has no host.
    var beginsWithHost: Bool {
        guard let first = utf8.first, !"/?#:".utf8.contains(first) else { return false }
        let name = utf8.prefix(while: \.isInScheme)
        return !(first.isLetter && utf8[name.endIndex...].starts(with: ":/".utf8))
    }
}

extension UInt8 {
    /// Whether this is a character of a scheme (RFC 3986, section 3.1).
    fileprivate var isInScheme: Bool { isLetter || isDigit || "+-.".utf8.contains(self) }

    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}
