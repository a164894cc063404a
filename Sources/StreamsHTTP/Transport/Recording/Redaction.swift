/// What must not stand in a recording: the values under certain names.
///
/// A value that is left out of a header or a query becomes `<redacted>`. In a body, every letter of it becomes an
/// asterisk and every digit of a number a one, so that the body's length and its pieces stay as they were. Bodies are
/// looked through where they are text that is made of JSON or that is a form; what is encoded or encrypted is not.
///
/// Fields marked as sensitive, `Authorization`, `Cookie`, `Proxy-Authorization` and `Set-Cookie` are left out whatever
/// is given here. Names are compared without regard to case.
public struct Redaction: Hashable, Codable, Sendable {
    /// The names of header fields.
    public var headers: Set<String>
    /// The names of parameters, in URLs and in forms.
    public var parameters: Set<String>
    /// The names of members of JSON objects, at any depth. What is below such a member is left out whole.
    public var members: Set<String>

    /// By default, the names that secrets have in many services.
    public init(
        headers: Set<String> = Redaction.usualHeaders, parameters: Set<String> = Redaction.usualNames,
        members: Set<String> = Redaction.usualNames
    ) {
        self.headers = Set(headers.map { $0.lowercased() })
        self.parameters = Set(parameters.map { $0.lowercased() })
        self.members = Set(members.map { $0.lowercased() })
    }

    /// Header fields that carry secrets in many services.
    public static let usualHeaders: Set<String> = ["x-api-key", "x-auth-token", "x-csrf-token"]

    /// What secrets are called in many services.
    public static let usualNames: Set<String> = [
        "access_token", "refresh_token", "id_token", "token", "api_key", "apikey", "client_secret", "secret",
        "password",
    ]

    static let mark = "<redacted>"
}

extension Redaction {
    func redacting(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(
            headers.map { field in
                var field = field
                let name = field.name.lowercased()
                if field.isSensitive || self.headers.contains(name) {
                    field.value = Self.mark
                } else if name == "location" || name == "content-location" || name == "referer" {
                    field.value = redacting(url: field.value)
                }
                return field
            })
    }

    /// A URL, absolute or not, without its credentials and the values of its query.
    func redacting(url: String) -> String {
        let url = url.redactedTarget
        guard let start = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return url }
        let end = url.utf8[start...].firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        let redacted = Self.items(of: url[url.utf8.index(after: start)..<end]).map { item in
            isSecret(parameter: item) ? "\(Self.name(of: item))=\(Self.mark)" : String(item)
        }
        return "\(url[..<start])?\(redacted.joined(separator: "&"))\(url[end...])"
    }

    private func isSecret(parameter item: Substring) -> Bool {
        let name = Self.name(of: item)
        return name.endIndex < item.endIndex && parameters.contains((name.removingPercentEncoding ?? "").lowercased())
    }

    // By bytes, as a mark behind a delimiter would hide it in letters.

    private static func items(of query: Substring) -> [Substring] {
        query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { Substring($0) }
    }

    private static func name(of item: Substring) -> Substring {
        Substring(item.utf8.prefix { $0 != UInt8(ascii: "=") })
    }

    /// A body of the same length.
    func redacting(body: Data, contentType: String?) -> Data {
        if contentType?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true {
            return redacting(form: body)
        }
        guard !members.isEmpty, body.contains(UInt8(ascii: "\"")) else { return body }
        var masker = MemberMasker(body, members: members)
        return masker.masked()
    }

    private func redacting(form: Data) -> Data {
        // Byte for byte, for not every form is text.
        let items = form.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let redacted = items.map { item -> Data in
            guard isSecret(parameter: Substring(decoding: item, as: UTF8.self)) else { return item }
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            return name + [UInt8(ascii: "=")] + Data(repeating: UInt8(ascii: "*"), count: item.count - name.count - 1)
        }
        return Data(redacted.joined(separator: [UInt8(ascii: "&")]))
    }
}

extension Substring {
    /// What is percent-encoded, decoded; a plus is a blank, as in forms.
    fileprivate var removingPercentEncoding: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
                rest = rest.dropFirst(2)
                bytes.append(code)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
