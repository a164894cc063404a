// The cookies that a jar takes (RFC 6265bis, section 5.7).

extension Cookie {
    /// The most bytes of a name and a value.
    private static let maxSize = 4096
    /// The most bytes of a path, as in a field `Set-Cookie`.
    private static let maxPathSize = 1024
    /// The longest time for which a cookie is kept, 400 days (RFC 6265bis, section 5.5).
    private static let maxAge: Double = 34_560_000

    /// Creates the cookie that a response sets; `nil` if it may not set it, regardless of the contents of the jar.
    ///
    /// - Parameters:
    ///   - field: The parts of the field `Set-Cookie`.
    ///   - origin: The parts of the request's URL.
    ///   - date: The present time.
    ///   - suffixes: The public suffixes.
    init?(_ field: SetCookie, from origin: CookieOrigin, at date: Date, under suffixes: PublicSuffixes) {
        var domain = field.domain ?? ""
        if domain == origin.host, !domain.mayHaveSubdomains || suffixes.contains(domain) {
            // The hosts below a public suffix belong to others, and an address has none.
            domain = ""
        }
        guard domain.isEmpty || origin.host.isInDomain(domain) else { return nil }
        let path = field.path.flatMap { $0.string.hasPrefix("/") ? $0 : nil } ?? FieldText(origin.defaultPath)
        self.init(
            field.name, field.value, domain: domain.isEmpty ? origin.host : domain, path: path,
            includesSubdomains: !domain.isEmpty, expires: Self.expiry(of: field, at: date), isSecure: field.isSecure,
            isHTTPOnly: field.isHTTPOnly, sameSite: field.sameSite)
        limitLifetime(at: date)
        guard isAcceptable(under: suffixes), origin.isSecure || !isSecure, field.path != nil || !hasHostPrefix else {
            return nil
        }
    }

    private static func expiry(of field: SetCookie, at date: Date) -> Date? {
        if let age = field.maxAge { return age > 0 ? date.addingTimeInterval(Double(age)) : .distantPast }
        return field.expires
    }

    /// Limits the lifetime to 400 days.
    mutating func limitLifetime(at date: Date) {
        let limit = date.addingTimeInterval(Self.maxAge)
        // The date of a program's cookie may be NaN, which is not less than the limit.
        expires = expires.map { $0 <= limit ? $0 : limit }
    }

    /// Returns whether a jar may have the cookie, whether a response, a program or a file sets it.
    ///
    /// - Parameter suffixes: The public suffixes.
    func isAcceptable(under suffixes: PublicSuffixes) -> Bool {
        guard !name.isEmpty || !value.isEmpty, nameText.byteCount + valueText.byteCount <= Self.maxSize,
            path.hasPrefix("/"), pathText.byteCount <= Self.maxPathSize, path.isFieldValue, domain.isCookieDomain,
            name.isCookieText, value.isCookieText, !name.utf8.contains(UInt8(ascii: "="))
        else { return false }
        if includesSubdomains, !domain.mayHaveSubdomains || suffixes.contains(domain) { return false }
        if sameSite == SameSite.none, !isSecure { return false }
        if hasPrefix("__secure-"), !isSecure { return false }
        if hasHostPrefix, !isSecure || includesSubdomains || path != "/" { return false }
        // Without a name, the value is all that the server sees.
        return !name.isEmpty || !value.hasCookiePrefix("__secure-") && !value.hasCookiePrefix("__host-")
    }

    private var hasHostPrefix: Bool { hasPrefix("__host-") }

    private func hasPrefix(_ prefix: String) -> Bool { name.hasCookiePrefix(prefix) }
}

extension String {
    /// Returns whether this begins with a prefix in lower case, ignoring case.
    fileprivate func hasCookiePrefix(_ prefix: String) -> Bool {
        utf8.prefix(prefix.utf8.count).map(\.lowercasedASCII).elementsEqual(prefix.utf8)
    }

    /// Whether this can be a part of a cookie: no control characters, nothing that ends a cookie, and no blanks around.
    fileprivate var isCookieText: Bool {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return isFieldValue && !utf8.contains(UInt8(ascii: ";"))
            && !(utf8.first.map(isBlank) ?? false) && !(utf8.last.map(isBlank) ?? false)
    }
}
