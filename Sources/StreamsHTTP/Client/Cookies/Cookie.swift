/// A cookie: a name, a value, and the requests that it is sent with.
///
/// The value is a secret: neither the description nor a mirror shows it.
///
/// Servers choose the bytes of the name, the value and the path, which need not be UTF-8. The texts of others are those
/// of ISO-8859-1, and only a view: a cookie is sent and written with the bytes that it was set with.
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

    /// The name with its bytes.
    var nameText: FieldText
    /// The value with its bytes.
    var valueText: FieldText
    /// The name or the address of the host that the cookie is for, in lower case and ASCII, without a leading dot.
    public var domain: String
    /// Whether the hosts below the domain receive the cookie too.
    public var includesSubdomains: Bool
    /// The path with its bytes.
    var pathText: FieldText
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
        self.init(
            FieldText(name), FieldText(value), domain: domain, path: FieldText(path),
            includesSubdomains: includesSubdomains, expires: expires, isSecure: isSecure, isHTTPOnly: isHTTPOnly,
            sameSite: sameSite)
    }

    init(
        _ name: FieldText, _ value: FieldText, domain: String, path: FieldText, includesSubdomains: Bool,
        expires: Date?, isSecure: Bool, isHTTPOnly: Bool, sameSite: SameSite? = nil
    ) {
        nameText = name
        valueText = value
        self.domain = (domain.hasPrefix(".") ? String(domain.dropFirst()) : domain).lowercased()
        self.includesSubdomains = includesSubdomains
        pathText = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
    }
}

extension Cookie {
    /// The name, which may be empty.
    public var name: String {
        get { nameText.string }
        set { nameText = FieldText(newValue) }
    }

    /// The value as text. A value that is set is sent as UTF-8.
    public var value: String {
        get { valueText.string }
        set { valueText = FieldText(newValue) }
    }

    /// The bytes of the value, as they are sent.
    public var valueBytes: [UInt8] {
        get { valueText.bytes }
        set { valueText = FieldText(bytes: newValue) }
    }

    /// The path that the paths of requests begin with.
    public var path: String {
        get { pathText.string }
        set { pathText = FieldText(newValue) }
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
        let name: FieldText
        let domain: String
        let includesSubdomains: Bool
        let path: FieldText
    }

    var identity: Identity {
        Identity(name: nameText, domain: domain, includesSubdomains: includesSubdomains, path: pathText)
    }

    func hasSameIdentity(as other: Cookie) -> Bool {
        nameText == other.nameText && pathText == other.pathText && includesSubdomains == other.includesSubdomains
            && domain == other.domain
    }

    func isExpired(at date: Date) -> Bool { expires.map { $0 <= date } ?? false }

    /// The cookie as a part of the field `Cookie` (RFC 6265bis, section 5.8.3).
    package var pair: FieldText { nameText.isEmpty ? valueText : [nameText, valueText].joined(separator: "=") }
}
