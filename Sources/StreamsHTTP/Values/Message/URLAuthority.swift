/// The authority of a URL (RFC 3986, section 3.2), written so that everything that reads it finds the same host and port.
struct URLAuthority {
    /// The host and the port, without user information.
    let hostAndPort: String
    /// The `Authorization` that the user information stands for (RFC 7617); `nil` without any.
    let authorization: String?

    /// - Returns: `nil` if this is not the authority of a URL.
    /// - Throws: ``HTTPError/InvalidRequest/unsupportedInternationalName``.
    init?(_ authority: Substring) throws(HTTPError.Reason) {
        var rest = authority.utf8[...]
        if let sign = rest.lastIndex(of: UInt8(ascii: "@")) {
            authorization = Self.authorization(rest[..<sign])
            rest = rest[rest.index(after: sign)...]
        } else {
            authorization = nil
        }
        let host: String?
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = Self.address(String(Substring(rest[..<end].dropFirst())))
            rest = rest[rest.index(after: end)...]
        } else {
            let end = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
            host = try Self.name(Substring(rest[..<end]))
            rest = rest[end...]
        }
        guard let host, Self.isPort(Substring(rest)) else { return nil }
        hostAndPort = host + String(Substring(rest))
    }

    private static func authorization(_ user: Substring.UTF8View) -> String? {
        guard !user.isEmpty else { return nil }
        let name = user.prefix { $0 != UInt8(ascii: ":") }
        return basicAuthorization(
            user: name.percentDecoded, password: user.dropFirst(name.count + 1).percentDecoded)
    }

    /// Returns the credentials of the Basic scheme (RFC 7617, section 2).
    static func basicAuthorization(user: [UInt8], password: [UInt8]) -> String {
        "Basic \(Data(user + [UInt8(ascii: ":")] + password).base64EncodedString())"
    }

    /// Whether this is empty, or a colon and a port, which may be empty too.
    private static func isPort(_ text: Substring) -> Bool {
        guard let colon = text.utf8.first else { return true }
        let digits = text.dropFirst()
        return colon == UInt8(ascii: ":") && (digits.isEmpty || (digits.decimalNumber ?? .max) <= UInt16.max)
    }
}

// MARK: Hosts

extension URLAuthority {
    /// The most characters of a zone that libcurl takes.
    private static let maxZoneLength = 15

    /// Returns an IPv6 address in brackets; `nil` if it is none.
    ///
    /// A zone follows `%25` (RFC 6874, section 2). A percent sign alone is taken too, as by libcurl, which sends the
    /// zone to no server.
    private static func address(_ text: String) -> String? {
        let address = text.prefix { $0 != "%" }
        guard address.contains(":"), IPAddress(String(address)) != nil else { return nil }
        guard address.endIndex < text.endIndex else { return "[\(address)]" }
        var zone = text[address.endIndex...].dropFirst()
        if zone.hasPrefix("25"), zone.utf8.count > 2 { zone = zone.dropFirst(2) }
        let isZone = (1...maxZoneLength).contains(zone.utf8.count) && zone.utf8.allSatisfy(ASCIISet.unreserved.contains)
        return isZone ? "[\(address)%25\(zone)]" : nil
    }

    /// Returns a name or an IPv4 address without percent-encoding and in ASCII; `nil` if it is none.
    ///
    /// - Throws: ``HTTPError/InvalidRequest/unsupportedInternationalName``.
    static func name(_ text: Substring) throws(HTTPError.Reason) -> String? {
        guard let name = String(validating: text.utf8.percentDecoded, as: UTF8.self), !name.isEmpty else { return nil }
        if name.utf8.allAre({ $0 < 0x80 }) { return name.utf8.allAre(ASCIISet.registeredName.contains) ? name : nil }
        // The mapping of a character may contain delimiters.
        let mapped = try InternationalName.ascii(of: name)
        return mapped.flatMap { !$0.isEmpty && $0.utf8.allAre(ASCIISet.plainHost.contains) ? $0 : nil }
    }
}

extension ASCIISet {
    /// The characters of names (RFC 3986, section 3.2.2).
    fileprivate static let registeredName = unreserved.union("!$&'()*+,;=")
}
