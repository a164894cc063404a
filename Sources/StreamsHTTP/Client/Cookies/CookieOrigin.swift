/// The parts of a request's URL that its cookies depend on. The port is not one of them (RFC 6265bis, section 8.5).
struct CookieOrigin {
    /// The name or the address of the host, in lower case.
    let host: String
    /// The path without the query; a slash if there is none.
    let path: String
    /// Whether others cannot read cookies on the connection: it has TLS, or leads to the machine itself.
    let isSecure: Bool

    /// Creates the parts of a URL; `nil` if its host may not have cookies.
    init?(_ url: LazyURL) {
        let host = url.hostName.lowercased()
        guard host.isCookieDomain else { return nil }
        self.host = host
        let path = url.pathAndQuery.utf8.prefix { $0 != UInt8(ascii: "?") }
        self.path = path.first == UInt8(ascii: "/") ? String(Substring(path)) : "/"
        isSecure = url.isSecure || host.isLoopback
    }

    /// The path of cookies whose server sets none (RFC 6265bis, section 5.1.4).
    var defaultPath: String {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The domains whose cookies the host may receive: its own, and those above it.
    var domains: [Substring] {
        guard host.mayHaveSubdomains else { return [host[...]] }
        var domains = [host[...]]
        while let last = domains.last, let dot = last.utf8.firstIndex(of: UInt8(ascii: ".")) {
            domains.append(last[last.utf8.index(after: dot)...])
        }
        return domains
    }

    /// Returns whether a cookie is sent with a request, provided that its domain is one of ``domains``.
    func matches(_ cookie: Cookie) -> Bool {
        (cookie.includesSubdomains || cookie.domain == host) && (isSecure || !cookie.isSecure)
            && path.isInCookiePath(cookie.path)
    }
}

extension String {
    /// Whether this is the name or the address of a host that may have cookies, in lower case. Others could be taken
    /// for different hosts, or break the lines of a file.
    var isCookieDomain: Bool {
        guard utf8.allAre({ $0.lowercasedASCII == $0 }) else { return false }
        let dot = UInt8(ascii: ".")
        // A dot may end a name, but not begin one or follow another.
        var previous = dot
        for byte in utf8 {
            guard byte.isHostByte || byte == dot && previous != dot else {
                return byte == UInt8(ascii: ":") && IPAddress(self) != nil
            }
            previous = byte
        }
        return !isEmpty
    }

    /// Whether this is a name, and so may have names below it: no address, also in the forms that only some resolvers
    /// take for one, such as `127.1` or `0x7f.1`. All of these end in a number.
    var mayHaveSubdomains: Bool {
        guard !utf8.contains(UInt8(ascii: ":")), utf8.last != UInt8(ascii: ".") else { return false }
        let label = utf8.suffix(from: utf8.lastIndex(of: UInt8(ascii: ".")).map { utf8.index(after: $0) } ?? startIndex)
        return !Substring(label).isDecimal && !label.starts(with: "0x".utf8)
    }

    /// Whether this leads to the host itself.
    fileprivate var isLoopback: Bool { self == "localhost" || IPAddress(self)?.isLoopback == true }

    /// Returns whether this is a domain, or below it (RFC 6265bis, section 5.1.3).
    func isInDomain(_ domain: String) -> Bool {
        let count = utf8.count - domain.utf8.count
        guard count > 0 else { return self == domain }
        let rest = utf8.dropFirst(count - 1)
        return rest.first == UInt8(ascii: ".") && rest.dropFirst().elementsEqual(domain.utf8) && mayHaveSubdomains
    }

    /// Returns whether this path is that of a cookie, or below it (RFC 6265bis, section 5.1.4).
    func isInCookiePath(_ path: String) -> Bool {
        guard utf8.starts(with: path.utf8) else { return false }
        let slash = UInt8(ascii: "/")
        let next = utf8.dropFirst(path.utf8.count).first
        return next == nil || next == slash || path.utf8.last == slash
    }
}

extension UInt8 {
    fileprivate var isHostByte: Bool { isASCIIAlphanumeric || self == UInt8(ascii: "-") || self == UInt8(ascii: "_") }
}
