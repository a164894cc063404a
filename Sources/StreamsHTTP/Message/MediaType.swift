/// A media type as a `Content-Type` has it (RFC 9110, section 8.3.1).
struct MediaType {
    /// Type and subtype, in small letters.
    let essence: String
    private let parameters: Substring

    init(_ text: String) {
        let end = text.firstIndex(of: ";") ?? text.endIndex
        essence = String(text[..<end]).trimmingOptionalWhitespace.lowercased()
        parameters = text[end...]
    }

    /// The media type that this one's syntax is that of (RFC 6839): `application/json` of `application/problem+json`.
    var suffixed: String? {
        essence.lastIndex(of: "+").map { "application/\(essence[essence.index(after: $0)...])" }
    }

    /// The charset, in small letters.
    var charset: String? { parameter("charset")?.lowercased() }

    /// A parameter's value.
    func parameter(_ name: String) -> String? {
        var rest = parameters
        while let start = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: start)...]
            guard let sign = rest.firstIndex(where: { $0 == "=" || $0 == ";" }), rest[sign] == "=" else { continue }
            let found = String(rest[..<sign]).trimmingOptionalWhitespace
            rest = rest[rest.index(after: sign)...]
            let value = Self.takeValue(&rest)
            if String(found).isEqualIgnoringASCIICase(to: name) { return value }
        }
        return nil
    }

    /// Takes a token or a quoted string off the front.
    private static func takeValue(_ rest: inout Substring) -> String {
        guard rest.first == "\"" else {
            let end = rest.firstIndex(of: ";") ?? rest.endIndex
            defer { rest = rest[end...] }
            return String(String(rest[..<end]).trimmingOptionalWhitespace)
        }
        rest.removeFirst()
        var value = ""
        while let character = rest.popFirst(), character != "\"" {
            value.append(character == "\\" ? rest.popFirst() ?? "\\" : character)
        }
        return value
    }
}
