/// The names of secret values, which are neither shown nor recorded.
///
/// ```swift
/// var configuration = HTTPClient.Configuration()
/// configuration.redaction.names.insert("shop-pin")
/// ```
///
/// A client hides the values of these names in its errors, its descriptions of requests for monitors, and
/// ``HTTPClient/curlCommand(for:revealingSecrets:)``. `RecordingTransport` hides them in recordings. Descriptions and
/// mirrors of values without a client, such as those of ``HTTPHeaders`` and ``HTTPRequest``, hide the usual names.
///
/// A name hides the values of header fields, of parameters of queries, fragments and URL-encoded forms, of parts of
/// multipart forms, and of members of JSON objects at any depth. A parameter with a nested name, such as
/// `user[password]`, is hidden if a part of its name is in the list. The user information of URLs (RFC 3986, section
/// 3.2.1) and the values of sensitive header fields (``HTTPHeaders/Field/isSensitive``) are always hidden.
///
/// This holds for URLs wherever they stand: in any header field, in the strings of JSON, in other texts, and in the
/// parameters of URLs and forms, also percent-encoded.
///
/// The values of names that have one of the ``words``, such as `db_password` and `X-Shop-Api-Key`, are hidden too.
///
/// The comparison of names ignores case, hyphens, underscores and a leading `X-`: the name `api_key` is also `apiKey`
/// and `X-Api-Key`. The properties contain the names in this form, which is `apikey` here.
public struct Redaction: Sendable {
    private struct Fields: Hashable, Sendable {
        var names: Set<String>
        var parameters: Set<String>
        var words: WordList
    }

    // Boxed, because a redaction is copied with each request.
    private var box: Box<Fields>
    private var fields: Fields {
        get { box.value }
        set { box = Box(newValue) }
    }

    /// The names of secret header fields, parameters and JSON members.
    public var names: Set<String> {
        get { box.value.names }
        set { fields.names = Self.normalized(newValue) }
    }
    /// The names that are secret only as parameters of queries and forms, such as OAuth's `code`. Elsewhere, values
    /// with these names are often no secrets.
    public var parameters: Set<String> {
        get { box.value.parameters }
        set { fields.parameters = Self.normalized(newValue) }
    }

    /// The words that make a name secret, such as `token`, which makes `shop_token` secret, but not `tokenizer`. A word
    /// such as `api_key` is several in a name, side by side.
    ///
    /// A word ends before a digit, a capital after a small letter, and any character that is neither a letter nor a
    /// digit. A name that only describes a secret, such as OAuth's `token_type`, is not secret: its last word is `type`,
    /// `endpoint`, `algorithm`, `policy`, `limit`, `count`, `expiry`, `expires`, `expiration`, `in` or `at`.
    public var words: Set<String> {
        get { box.value.words.words }
        set { fields.words = WordList(Self.normalized(newValue)) }
    }

    /// Creates a redaction of the usual names.
    public init() {
        self = .usual
    }

    /// Creates a redaction of names, without the usual ones; the properties describe the parameters.
    public init(names: Set<String>, parameters: Set<String> = [], words: Set<String> = []) {
        box = Box(
            Fields(
                names: Self.normalized(names), parameters: Self.normalized(parameters),
                words: WordList(Self.normalized(words))))
    }

    /// The text in place of a secret.
    package static let mark = "<hidden>"

    /// The redaction of the usual names.
    package static let usual = Redaction(
        names: [
            // Keys.
            "api_key", "app_key", "access_key", "secret_key", "secret_access_key", "aws_secret_access_key",
            "private_key", "signing_key", "encryption_key", "master_key", "account_key", "shared_key", "session_key",
            "subscription_key", "ocp_apim_subscription_key", "functions_key", "goog_api_key", "rapidapi_key",
            // Tokens.
            "token", "tokens", "access_token", "refresh_token", "id_token", "id_token_hint", "auth_token", "api_token",
            "bearer_token", "session_token", "security_token", "amz_security_token", "goog_security_token",
            "private_token", "job_token", "deploy_token", "gitlab_token", "vault_token", "login_token", "user_token",
            "device_token", "subject_token", "actor_token", "csrf_token", "xsrf_token", "jwt", "authenticity_token",
            // Passwords and other credentials.
            "password", "passwd", "pwd", "passphrase", "pass_phrase", "old_password", "new_password",
            "current_password", "password_confirmation", "otp", "totp", "secret", "secrets", "client_secret",
            "app_secret", "shared_secret", "consumer_secret", "credential", "credentials", "amz_credential",
            "goog_credential", "authorization", "proxy_authorization", "cookie", "set_cookie", "session_id",
            "jsessionid", "phpsessid",
            // Signatures, and the parts of OAuth (RFC 6749, 7521, 7523, 7636, 8628).
            "signature", "sig", "hmac", "amz_signature", "goog_signature", "hub_signature", "hub_signature_256",
            "code_verifier", "authorization_code", "auth_code", "device_code", "user_code", "assertion",
            "client_assertion", "saml_response", "saml_assertion", "oauth_verifier", "csrf", "xsrf",
            "csrfmiddlewaretoken", "hapikey", "sas", "pin",
        ],
        parameters: ["code", "key", "auth", "session", "sid", "ticket", "pass"],
        words: [
            "api_key", "api_keys", "app_key", "application_key", "auth_key", "authorization_key", "access_key",
            "access_keys", "account_key", "admin_key", "client_key", "deploy_key", "encryption_key", "functions_key",
            "license_key", "master_key", "private_key", "secret_key", "service_key", "session_key", "shared_key",
            "signing_key", "ssh_key", "storage_key", "subscription_key", "webhook_key",
            // `tokens` is often a number of them.
            "token", "access_token", "auth_token", "refresh_token", "session_token", "jwt", "bearer", "secret",
            "secrets", "client_secret", "password", "passwords", "passwd", "pwd", "passphrase", "pass_phrase",
            "passcode", "otp", "totp", "credential", "credentials", "authorization", "cookie", "session_id",
            "signature", "sig", "hmac", "assertion", "oauth_verifier", "csrf", "xsrf", "sas", "pin", "hapikey",
        ])

    private static func normalized(_ names: Set<String>) -> Set<String> {
        var normalized = Set(names.map { Self.normalized($0) })
        normalized.remove("")
        return normalized
    }

    private static func normalized(_ name: some StringProtocol) -> String {
        name.utf8.withContiguousBytes { bytes in
            // Nearly all names are ASCII.
            guard bytes.allSatisfy({ $0 < 0x80 }) else { return normalized(unicode: name.lowercased()) }
            let isPrefixed = bytes.count > 1 && bytes[0] | 0x20 == UInt8(ascii: "x") && isSeparator(bytes[1])
            return String(maxCount: bytes.count) { normalized in
                for byte in bytes[(isPrefixed ? 2 : 0)...] where !isSeparator(byte) {
                    normalized.append(byte.lowercasedASCII)
                }
            }
        }
    }

    private static func normalized(unicode name: String) -> String {
        let isPrefixed = name.hasPrefix("x-") || name.hasPrefix("x_")
        return String(name.unicodeScalars.dropFirst(isPrefixed ? 2 : 0).filter { $0 != "-" && $0 != "_" })
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}

extension Redaction: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        left.box === right.box || left.box.value == right.box.value
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(box.value)
    }
}

extension Redaction {
    /// Returns whether the value of a header field or of a member is secret.
    func isSecret(_ name: some StringProtocol) -> Bool {
        names.contains(Self.normalized(name)) || box.value.words.isSecret(name)
    }

    /// Whether no name is secret.
    var isEmpty: Bool { names.isEmpty && words.isEmpty }

    /// Returns whether the value of a parameter is secret.
    ///
    /// - Parameter name: The name, percent-encoded as in a URL or a form.
    func isSecret(parameter name: Substring) -> Bool {
        if isSecretAsWhole(name) { return true }
        guard name.utf8.contains(where: ASCIISet.nesting.contains) else { return false }
        let text = String(decoding: name.utf8.percentDecoded, as: UTF8.self).replacing("+", with: " ")
        return isSecretAsWhole(text) || text.split { "[].".contains($0) }.contains { isSecretAsWhole($0) }
    }

    private func isSecretAsWhole(_ name: some StringProtocol) -> Bool {
        let normalized = Self.normalized(name)
        return names.contains(normalized) || parameters.contains(normalized) || box.value.words.isSecret(name)
    }
}

extension ASCIISet {
    /// The characters of names that are encoded or have several parts.
    fileprivate static let nesting = ASCIISet("%+[.")
}

extension Redaction: Codable {
    private enum CodingKeys: String, CodingKey {
        case names
        case parameters
        case words
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            names: try container.decode(Set<String>.self, forKey: .names),
            parameters: try container.decode(Set<String>.self, forKey: .parameters),
            // Earlier versions had no words.
            words: try container.decodeIfPresent(Set<String>.self, forKey: .words) ?? [])
    }

    /// Encodes the names in alphabetical order, so that files with the same names are equal.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(names.sorted(), forKey: .names)
        try container.encode(parameters.sorted(), forKey: .parameters)
        try container.encode(words.sorted(), forKey: .words)
    }
}
