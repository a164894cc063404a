import StreamsHTTP

// None of these compiles: a property with another type than the requirement's would not be sent.

struct NotEncodable: Sendable {}

struct UnencodableParameters: Endpoint {
    let path = "/"
    let parameters: NotEncodable
}

struct ExistentialParameters: Endpoint {
    let path = "/"
    let parameters: (any Encodable & Sendable)?
}

struct TextAsMethod: Endpoint {
    let path = "/"
    let method = "POST"
}

struct DictionaryAsQuery: Endpoint {
    let path = "/"
    let query: [String: String]?
}

struct DictionaryAsHeaders: Endpoint {
    let path = "/"
    let headers: [String: String]?
}

struct DataAsBody: Endpoint {
    let path = "/"
    let body: Data?
}

struct OptionalEncoding: Endpoint {
    let path = "/"
    let encoding: ParameterEncoding?
}

struct TextAsAuthorization: Endpoint {
    let path = "/"
    let requiresAuthorization = "bearer"
}

struct RequiredValidation: Endpoint {
    let path = "/"
    let validation = ResponseValidation.acceptAll
}

struct OptionalDecoder: Endpoint {
    let path = "/"
    let decoder: JSONDecoder?
}

struct RequiredPreviewName: Endpoint {
    let path = "/"
    let previewName = "popular"
}

struct OptionalOptions: Endpoint {
    let path = "/"
    let options: RequestOptions?
}
