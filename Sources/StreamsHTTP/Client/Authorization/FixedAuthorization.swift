/// Credentials that do not change: a bearer token, or a user name and a password.
///
/// ```swift
/// let client = HTTPClient(baseURL: url, authorization: .bearer(token))
/// ```
///
/// A request can have credentials of its own, or none; see <doc:Authorization>. Credentials that are renewed need an
/// ``OAuthAuthorization`` or another ``AuthorizationProvider``.
public struct FixedAuthorization: AuthorizationProvider {
    /// The value of the `Authorization` field.
    fileprivate let value: String

    /// Sets the `Authorization` field, and replaces that of the request.
    public func authorize(_ request: TransportRequest) -> TransportRequest {
        request.authorized(value)
    }
}

extension AuthorizationProvider where Self == FixedAuthorization {
    /// Returns a bearer token (RFC 6750, section 2.1).
    public static func bearer(_ token: String) -> FixedAuthorization {
        FixedAuthorization(value: "Bearer \(token)")
    }

    /// Returns a user name and a password, in UTF-8 (RFC 7617).
    ///
    /// A colon in the user name, which ends it, or a control character in either text cannot be sent: the request fails
    /// with ``HTTPError/InvalidRequest/headerValue`` before anything is sent.
    public static func basic(user: String, password: String) -> FixedAuthorization {
        basic(user: FieldText(user), password: FieldText(password))
    }

    /// Returns a user name and a password whose bytes need not be UTF-8.
    package static func basic(user: FieldText, password: FieldText) -> FixedAuthorization {
        var text = user
        text.append(":", password)
        // Characters from 0x80 are no control characters in most encodings of a byte a character.
        let isValid =
            !user.string.utf8.contains(UInt8(ascii: ":"))
            && text.string.unicodeScalars.allSatisfy { text.isLatin1 && $0.value >= 0x80 || !$0.isControl }
        // No field may have NUL, so this one fails the request without a secret in its error.
        return FixedAuthorization(value: isValid ? "Basic \(Data(text.bytes).base64EncodedString())" : "Basic \u{0}")
    }
}

extension HTTPRequest {
    /// Returns this request with credentials of its own. They are never shown, and a redirect to another origin drops
    /// them.
    public func settingAuthorization(_ authorization: FixedAuthorization) -> HTTPRequest {
        settingHeader("Authorization", authorization.value)
    }
}

extension FixedAuthorization: CustomReflectable {
    /// A mirror without the credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension TransportRequest {
    /// Returns this request with a single `Authorization` field.
    func authorized(_ value: String) -> TransportRequest {
        var request = self
        request.headers.set("Authorization", value, isSensitive: true)
        return request
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control }
}
