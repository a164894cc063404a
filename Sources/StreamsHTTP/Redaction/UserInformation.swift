extension String {
    /// This target without user information (RFC 3986, section 3.2.1). It need not be a valid URL.
    package var withoutUserInformation: String {
        guard utf8.contains(UInt8(ascii: "@")) else { return self }
        if let url = URL(string: self), url.scheme == nil || url.host() != nil {
            // Not Foundation's text, in which encoded bytes may be encoded again.
            let reference = URLReference(self)
            return reference.hostAndPort.map { reference.replacing(authority: String(reference[$0])) } ?? self
        }
        // The text before the last at sign may be credentials, unless it is a path.
        guard utf8.first != UInt8(ascii: "/") || utf8.starts(with: "//".utf8) else { return self }
        return withoutTextBeforeHost
    }

    /// This URL of a proxy without credentials. A proxy's URL has no path, so everything between the scheme and the last
    /// at sign is removed.
    var redactedProxy: String { withoutTextBeforeHost }

    private var withoutTextBeforeHost: String {
        guard let sign = utf8.lastIndex(of: UInt8(ascii: "@")) else { return self }
        return String(self[..<authorityStart] + self[utf8.index(after: sign)...])
    }

    /// The index at which user information would begin: after two slashes at the start or after a scheme, otherwise the
    /// start.
    private var authorityStart: Index {
        let scheme = utf8.prefix { $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) }
        var rest = utf8[scheme.endIndex...]
        if !scheme.isEmpty {
            guard rest.popFirst() == UInt8(ascii: ":") else { return startIndex }
        }
        return rest.starts(with: "//".utf8) ? utf8.index(rest.startIndex, offsetBy: 2) : startIndex
    }
}
