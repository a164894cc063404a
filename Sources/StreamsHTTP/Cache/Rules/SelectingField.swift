/// A field of a request that selects a response (RFC 9111, section 4.1): its name, as a `Vary` names it, and its
/// normalised value.
struct SelectingField: Hashable, Sendable {
    /// The maximum number of fields by which responses are selected.
    static let maxCount = 16

    /// The name, in lowercase.
    let name: String
    /// The value, normalised; `nil` if the request does not have the field, or if it is a secret, which a
    /// ``CacheIdentity`` represents.
    let value: FieldText?

    init(name: String, value: FieldText?) {
        self.name = name
        self.value = value
    }

    /// Creates the field of a name in a request.
    ///
    /// Fields of the name are combined, and the space around the elements of a list does not count. Nor does the order
    /// of an `Accept-Language`, apart from its weights, or its case (RFC 9110, section 12.5.4).
    init(_ name: String, in headers: HTTPHeaders) {
        self.name = name.lowercased()
        let fields = headers.filter { $0.name.isEqualIgnoringASCIICase(to: name) }
        value =
            fields.isEmpty || fields.contains(where: \.isSensitive)
            ? nil : Self.normalized(fields.map(\.text), isLanguage: self.name == "accept-language")
    }

    private static func normalized(_ texts: [FieldText], isLanguage: Bool) -> FieldText {
        let text = texts.joined(separator: ",")
        var members = text.string.splitOutsideQuotes(at: ",").map { String($0.trimmingOptionalWhitespace) }
            .filter { !$0.isEmpty }
        if isLanguage { members = normalizedLanguages(members) }
        return text.map { _ in members.joined(separator: ", ") }
    }

    private static func normalizedLanguages(_ members: [String]) -> [String] {
        members.map { member in
            let member = FieldMember(member.lowercased())
            let weight = member.parameter("q").flatMap { Double($0) } ?? 1
            return (tag: member.text, weight: weight)
        }.sorted { ($1.weight, $0.tag) < ($0.weight, $1.tag) }.map { "\($0.tag);q=\($0.weight)" }
    }
}

extension HTTPHeaders {
    /// The names in the `Vary` fields of a response, in lowercase and sorted, without those of fields that carry
    /// credentials, which a ``CacheIdentity`` represents.
    ///
    /// - Returns: `nil` if no other request can be known to select the response: for `*`, a malformed name or too many.
    var selectingNames: [String]? {
        let names = Set(listElements(of: "Vary").map { $0.lowercased() })
        guard names.count <= SelectingField.maxCount, !names.contains("*"), names.allSatisfy(\.isToken) else {
            return nil
        }
        return names.filter { !Field(name: $0, value: "").isSensitive }.sorted()
    }

    /// Whether the `Vary` fields of a response name a field that carries credentials.
    var areSelectedByCredentials: Bool {
        listElements(of: "Vary").contains { Field(name: $0, value: "").isSensitive }
    }
}
