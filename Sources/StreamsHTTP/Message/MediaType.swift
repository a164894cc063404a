/// A media type, as in `Content-Type` (RFC 9110, section 8.3.1).
struct MediaType {
    /// The type and subtype, in lowercase.
    let essence: String
    private let parameters: Substring

    init(_ text: String) {
        let end = text.firstIndex(of: ";") ?? text.endIndex
        essence = String(text[..<end]).trimmingOptionalWhitespace.lowercased()
        parameters = text[end...]
    }

    /// The media type of the structured syntax suffix (RFC 6839): `application/json` for `application/problem+json`.
    var suffixed: String? {
        essence.lastIndex(of: "+").map { "application/\(essence[essence.index(after: $0)...])" }
    }

    /// The charset, in lowercase.
    var charset: String? { parameter("charset")?.lowercased() }

    /// Returns the value of a parameter.
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

    /// Removes a token or a quoted string from the front and returns its value.
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
