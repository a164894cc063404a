/// A media type, as in `Content-Type` (RFC 9110, section 8.3.1).
struct MediaType {
    private let member: FieldMember
    /// The type and subtype, in lowercase.
    let essence: String

    init(_ text: String) {
        member = FieldMember(text)
        essence = member.text.lowercased()
    }

    /// The media type of the structured syntax suffix (RFC 6839): `application/json` for `application/problem+json`.
    var suffixed: String? {
        essence.lastIndex(of: "+").map { "application/\(essence[essence.index(after: $0)...])" }
    }

    /// The charset, in lowercase.
    var charset: String? { member.parameter("charset")?.lowercased() }

    /// Whether the content is text, also as JSON, XML or a script. A form is none: its servers rarely decode codings.
    var isText: Bool {
        essence.hasPrefix("text/") || Self.textTypes.contains(essence)
            || suffixed.map(Self.textTypes.contains) == true
    }

    private static let textTypes: Set = [
        "application/ecmascript", "application/graphql", "application/javascript", "application/json",
        "application/json-seq", "application/jsonl", "application/ndjson", "application/sql", "application/toml",
        "application/x-javascript", "application/x-json-stream", "application/x-ndjson", "application/x-yaml",
        "application/xml", "application/yaml",
    ]
}
