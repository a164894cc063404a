/// A link of a `Link` field (RFC 8288, section 3).
struct WebLink: Equatable {
    /// The target as it is written: a URL, or a reference relative to the URL of the response.
    let target: String
    /// The relation types as they are written, separated by spaces.
    let relations: String
    /// The context as it is written; `nil` for the response.
    let anchor: String?

    /// Returns the links of the fields of one name, in order.
    ///
    /// Of a malformed field, the links before the error are returned (RFC 8288, appendix B.2).
    static func list(in values: [String]) -> [WebLink] {
        values.flatMap { value in
            var parser = WebLinkParser(value)
            var links: [WebLink] = []
            while let link = parser.next() { links.append(link) }
            return links
        }
    }

    /// Returns whether the link has a relation type. Types are compared ignoring ASCII case.
    func hasRelation(_ type: String) -> Bool {
        relations.utf8.split(whereSeparator: \.isBlank).contains {
            String(Substring($0)).isEqualIgnoringASCIICase(to: type)
        }
    }
}

extension HTTPResponse {
    /// Returns the target, as it is written, of the first link of this response with a relation type; `nil` if there is
    /// none. A link whose `anchor` is another context does not belong to this response.
    func link(_ relation: String) -> String? {
        // The texts that become parts of URLs are taken from the fields, and all others are compared with ASCII.
        WebLink.list(in: headers.texts(for: "Link").map(\.urlText))
            .first { $0.hasRelation(relation) && isContext($0.anchor) }?.target
    }

    private func isContext(_ anchor: String?) -> Bool {
        guard let anchor else { return true }
        let resolver = URLResolver(baseURL: url)
        guard let context = try? resolver.target(ofLocation: anchor), let own = try? resolver.target(ofLocation: "")
        else { return false }
        return context.url == own.url
    }
}

/// A parser of the value of one `Link` field (RFC 8288, appendix B), in one pass over the bytes.
private struct WebLinkParser {
    private var rest: Substring.UTF8View

    init(_ value: String) {
        rest = value[...].utf8
    }

    /// Returns the next link; `nil` at the end, and at a syntax error.
    mutating func next() -> WebLink? {
        // A list may have empty members (RFC 9110, section 5.6.1).
        skip { $0.isBlank || $0 == UInt8(ascii: ",") }
        guard take(UInt8(ascii: "<")) else { return nil }
        let target = text { $0 == UInt8(ascii: ">") }
        guard take(UInt8(ascii: ">")) else { return nil }
        var relations: String?
        var anchor: String?
        while let (name, value) = nextParameter() {
            // Of several parameters of a name, the first counts (RFC 8288, sections 3.2 and 3.3).
            switch name.lowercased() {
            case "rel": relations = relations ?? value
            case "anchor": anchor = anchor ?? value
            default: break
            }
        }
        return WebLink(target: target, relations: relations ?? "", anchor: anchor)
    }

    private mutating func nextParameter() -> (name: String, value: String)? {
        skip(while: \.isBlank)
        guard take(UInt8(ascii: ";")) else { return nil }
        skip(while: \.isBlank)
        let name = text { $0.isBlank || $0.endsValue || $0 == UInt8(ascii: "=") }
        skip(while: \.isBlank)
        guard take(UInt8(ascii: "=")) else { return (name, "") }
        skip(while: \.isBlank)
        guard take(UInt8(ascii: "\"")) else {
            return (name, String(text(upTo: \.endsValue).trimmingOptionalWhitespace))
        }
        return (name, quotedText())
    }

    /// Takes the rest of a quoted string (RFC 9110, section 5.6.4), whose closing quotation mark may be missing.
    private mutating func quotedText() -> String {
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            if let escaped = rest.popFirst() { bytes.append(escaped) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func text(upTo isEnd: (UInt8) -> Bool) -> String {
        let text = rest.prefix { !isEnd($0) }
        rest = rest[text.endIndex...]
        return String(Substring(text))
    }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) {
        rest = rest.drop(while: isSkipped)
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    /// Whether the byte ends an unquoted value of a parameter.
    fileprivate var endsValue: Bool { self == UInt8(ascii: ";") || self == UInt8(ascii: ",") }
}
