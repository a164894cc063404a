/// The value of a field `Set-Cookie`, taken apart as browsers do (RFC 6265bis, section 5.6).
struct SetCookie {
    /// The number of bytes above which the value of an attribute is ignored.
    private static let maxAttributeSize = 1024

    let name: FieldText
    let value: FieldText
    /// The last `Max-Age`, in seconds; `nil` if there is none.
    private(set) var maxAge: Int64?
    /// The last `Expires` with a valid date; `nil` if there is none.
    private(set) var expires: Date?
    /// The last `Domain`, in lower case and without a leading dot; `nil` if there is none.
    private(set) var domain: String?
    /// The last `Path`, which may be empty or invalid; `nil` if there is none.
    private(set) var path: FieldText?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite: Cookie.SameSite?

    /// Creates the parts of a value; `nil` if the value has control characters.
    init?(_ text: FieldText) {
        guard text.string.isFieldValue else { return nil }
        let parts = text.string.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let pair = parts.first else { return nil }
        let (name, value) = Self.split(pair) ?? ("", Substring(pair).trimmingBlanks)
        self.name = FieldText(name, of: text)
        self.value = FieldText(value, of: text)
        for part in parts.dropFirst() {
            let (name, value) = Self.split(part) ?? (Substring(part).trimmingBlanks, "")
            add(name.lowercased(), FieldText(value, of: text))
        }
    }

    private static func split(_ part: Substring.UTF8View) -> (name: Substring, value: Substring)? {
        guard let sign = part.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        return (Substring(part[..<sign]).trimmingBlanks, Substring(part[part.index(after: sign)...]).trimmingBlanks)
    }

    private mutating func add(_ name: String, _ text: FieldText) {
        guard text.byteCount <= Self.maxAttributeSize else { return }
        let value = text.string
        switch name {
        case "expires": expires = CookieDate(value)?.date ?? expires
        case "max-age": maxAge = Self.seconds(value) ?? maxAge
        case "domain": domain = Self.domain(value)
        case "path": path = text
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite": sameSite = Self.sameSite(value)
        default: break
        }
    }

    /// Returns a domain in lower case. Characters beyond ASCII stay as they are, and so belong to no host: some of them
    /// would become ASCII.
    private static func domain(_ text: String) -> String {
        let name = text.hasPrefix(".") ? String(text.dropFirst()) : text
        return name.utf8.allAre { $0 < 0x80 } ? name.lowercased() : name
    }

    /// Returns a number of seconds, and 0 for a negative one; `nil` for any other text.
    private static func seconds(_ text: String) -> Int64? {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative ? text.dropFirst() : text[...]
        guard digits.isDecimal else { return nil }
        return isNegative ? 0 : digits.decimalNumber ?? .max
    }

    private static func sameSite(_ text: String) -> Cookie.SameSite? {
        switch text.lowercased() {
        case "strict": .strict
        case "lax": .lax
        case "none": Cookie.SameSite.none
        default: nil
        }
    }
}

extension Substring {
    /// The text without spaces and tabs around it.
    fileprivate var trimmingBlanks: Substring {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        var rest = utf8.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return Substring(rest)
    }
}
