/// A cookie: a name, a value, and the requests that it is sent with.
///
/// The value is a secret: neither the description nor a mirror shows it.
///
/// ```swift
/// jar.set(Cookie("session", token, domain: "api.example.com"))
/// ```
public struct Cookie: Hashable, Sendable {
    /// The restriction of a cookie to requests that its own site causes (RFC 6265bis, section 5.6.7).
    public enum SameSite: Sendable {
        /// Requests of the site.
        case strict
        /// Requests of the site, and navigation to it.
        case lax
        /// Requests of any site.
        case none
    }

    /// The name, which may be empty.
    public var name: String
    /// The value, as it is sent.
    public var value: String
    /// The name or the address of the host that the cookie is for, in lower case and ASCII, without a leading dot.
    public var domain: String
    /// Whether the hosts below the domain receive the cookie too.
    public var includesSubdomains: Bool
    /// The path that the paths of requests begin with.
    public var path: String
    /// The time at which the cookie is removed; `nil` for a cookie of the session.
    public var expires: Date?
    /// Whether the cookie is sent only over TLS, and to the host itself: `localhost` and the addresses of loopback.
    public var isSecure: Bool
    /// Whether browsers keep the cookie from scripts. It has no effect on requests.
    public var isHTTPOnly: Bool
    /// The restriction to a site, as the server has set it; `nil` if it has set none. It has no effect on requests: a
    /// program is the site of all its requests.
    public var sameSite: SameSite?

    /// Creates a cookie.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value, as it is sent.
    ///   - domain: The name or the address of the host. A leading dot is removed.
    ///   - path: The path that the paths of requests begin with.
    ///   - includesSubdomains: Whether the hosts below the domain receive the cookie too.
    ///   - expires: The time at which the cookie is removed; `nil` for a cookie of the session.
    ///   - isSecure: Whether the cookie is sent only over TLS, and to the host itself.
    ///   - isHTTPOnly: Whether browsers keep the cookie from scripts.
    ///   - sameSite: The restriction to a site, which has no effect on requests.
    public init(
        _ name: String, _ value: String, domain: String, path: String = "/", includesSubdomains: Bool = false,
        expires: Date? = nil, isSecure: Bool = true, isHTTPOnly: Bool = false, sameSite: SameSite? = nil
    ) {
        self.name = name
        self.value = value
        self.domain = (domain.hasPrefix(".") ? String(domain.dropFirst()) : domain).lowercased()
        self.includesSubdomains = includesSubdomains
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
    }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// The cookie without its value.
    public var description: String {
        "\(name)=\(Redaction.mark); domain=\(domain); path=\(path)".printable
    }

    /// The properties, without the value.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "name": name.printable, "value": Redaction.mark, "domain": domain.printable,
                "includesSubdomains": includesSubdomains, "path": path.printable, "expires": expires as Any,
                "isSecure": isSecure, "isHTTPOnly": isHTTPOnly, "sameSite": sameSite as Any,
            ], displayStyle: .struct)
    }
}

extension Cookie {
    /// The properties that no two cookies of a jar have in common.
    struct Identity: Hashable {
        let name: String
        let domain: String
        let includesSubdomains: Bool
        let path: String
    }

    var identity: Identity {
        Identity(name: name, domain: domain, includesSubdomains: includesSubdomains, path: path)
    }

    func hasSameIdentity(as other: Cookie) -> Bool {
        name == other.name && path == other.path && includesSubdomains == other.includesSubdomains
            && domain == other.domain
    }

    func isExpired(at date: Date) -> Bool { expires.map { $0 <= date } ?? false }

    /// The cookie as a part of the field `Cookie` (RFC 6265bis, section 5.8.3).
    package var pair: String { name.isEmpty ? value : "\(name)=\(value)" }
}
