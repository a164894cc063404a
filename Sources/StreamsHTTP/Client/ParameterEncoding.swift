/// The place of an endpoint's parameters in its request.
public enum ParameterEncoding: Hashable, Sendable {
    /// In the URL's query.
    case query
    /// In the body, as JSON.
    case json
    /// In the body, as a form (`application/x-www-form-urlencoded`).
    case form
    /// In the body, as a multipart form (`multipart/form-data`).
    case multipart

    /// The default for a method: the query if a body has no meaning (RFC 9110, sections 9.3.1, 9.3.2 and 9.3.5), JSON
    /// otherwise.
    static func `default`(for method: HTTPMethod) -> ParameterEncoding {
        switch method {
        case .get, .head, .delete: .query
        default: .json
        }
    }
}
