/// Where an endpoint's parameters go.
public enum ParameterEncoding: Hashable, Sendable {
    /// Into the URL's query.
    case query
    /// Into the body, as JSON.
    case json
    /// Into the body, as a form (`application/x-www-form-urlencoded`).
    case form
    /// Into the body, as a form in parts (`multipart/form-data`).
    case multipart

    /// The query where a body would mean nothing (RFC 9110, sections 9.3.1, 9.3.2 and 9.3.5), JSON elsewhere.
    static func `default`(for method: HTTPMethod) -> ParameterEncoding {
        switch method {
        case .get, .head, .delete: .query
        default: .json
        }
    }
}
