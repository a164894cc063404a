/// A member of a field's value with its parameters (RFC 9110, sections 5.6.1 and 5.6.6): `text/html; charset=utf-8`,
/// `max-age=60`, or `"default"; r=50; t=30`.
struct FieldMember {
    /// The text before the parameters.
    let text: String
    private let parameters: [String]

    init(_ member: String) {
        let parts = member.splitOutsideQuotes(at: ";").map { String($0.trimmingOptionalWhitespace) }
        text = parts.first ?? ""
        parameters = Array(parts.dropFirst())
    }

    /// Returns the members of the fields of one name, without empty ones (RFC 9110, section 5.6.1.2).
    static func list(in values: [String]) -> [FieldMember] {
        values.flatMap { $0.splitOutsideQuotes(at: ",") }.filter { !$0.trimmingOptionalWhitespace.isEmpty }
            .map { FieldMember($0) }
    }

    /// The text before the first `=`, in lowercase.
    var name: String { text.assignment.name.lowercased() }

    /// The token or the contents of the quoted string after the first `=`; `nil` without one.
    var value: String? { text.assignment.value?.unquoted }

    /// The names of the parameters, in lowercase, and their values; `nil` for one without.
    var allParameters: [(name: String, value: String?)] {
        parameters.map(\.assignment).map { ($0.name.lowercased(), $0.value?.unquoted) }
    }

    /// Returns the value of a parameter; `nil` if there is none of this name, or if it has no value.
    func parameter(_ name: String) -> String? {
        for parameter in parameters.lazy.map(\.assignment) where parameter.name.isEqualIgnoringASCIICase(to: name) {
            if let value = parameter.value { return value.unquoted }
        }
        return nil
    }
}

extension String {
    /// The texts before and after the first `=`.
    fileprivate var assignment: (name: String, value: String?) {
        guard let sign = firstIndex(of: "=") else { return (self, nil) }
        return (
            String(String(self[..<sign]).trimmingOptionalWhitespace),
            String(String(self[index(after: sign)...]).trimmingOptionalWhitespace)
        )
    }

    /// The contents of a quoted string (RFC 9110, section 5.6.4), or this text if it is none.
    fileprivate var unquoted: String {
        guard first == "\"" else { return self }
        var rest = dropFirst()
        var contents = ""
        while let character = rest.popFirst(), character != "\"" {
            contents.append(character == "\\" ? rest.popFirst() ?? "\\" : character)
        }
        return contents
    }

    /// Splits a text at a separator outside of quoted strings.
    func splitOutsideQuotes(at separator: Character) -> [String] {
        var parts = [""]
        var (isQuoted, isEscaped) = (false, false)
        for character in self {
            if character == separator, !isQuoted {
                parts.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
            parts[parts.count - 1].append(character)
        }
        return parts
    }
}
