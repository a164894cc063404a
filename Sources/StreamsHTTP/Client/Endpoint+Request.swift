extension Endpoint
where
    Parameters: Encodable, MethodValue == HTTPMethod, QueryValue == HTTPQuery, HeadersValue == HTTPHeaders,
    BodyValue == HTTPBody, EncodingValue == ParameterEncoding,
    ValidationValue == ResponseValidation?, PreviewNameValue == String?, OptionsValue == RequestOptions
{
    public func makeRequest(using coders: CoderRegistry) throws(HTTPError) -> HTTPRequest {
        var request = HTTPRequest(method, path, options: options)
        if let validation { request.options.validation = validation }
        if let previewName { request.options.previewName = previewName }
        if let isRequired = authorizationRequirement() { request.options.requiresAuthorization = isRequired }
        var thrower = HTTPError.Thrower.encoder
        do {
            request.query = try query
            request.headers = try headers
            thrower = .body
            request.body = try body
            thrower = .encoder
            if Parameters.self != Never?.self { try request.add(try parameters, encoding, coders) }
            return request
        } catch {
            throw HTTPError(.thrown(error, by: thrower), request: request.summary(.usual))
        }
    }
}

extension HTTPRequest {
    /// Adds the parameters of an endpoint, unless they are `nil`.
    fileprivate mutating func add(
        _ parameters: some Encodable, _ encoding: ParameterEncoding, _ coders: CoderRegistry
    ) throws {
        if let optional = parameters as? any OptionalValue, optional.isNil { return }
        guard encoding != .query else { return query.append(contentsOf: try coders.query.encode(parameters)) }
        guard body.isEmpty else { throw HTTPBody.Failure.besideParameters }
        switch encoding {
        case .query: break
        case .json: body = try .json(parameters, encoder: coders.encoder)
        case .form: body = try .form(encoding: parameters, encoder: coders.form)
        case .multipart:
            var encoder = coders.query
            encoder.arrays = .indices
            body = try .multipart(MultipartForm(encoding: parameters, encoder: encoder))
        }
    }
}

/// An optional of any type.
private protocol OptionalValue {
    var isNil: Bool { get }
}

extension Optional: OptionalValue {
    var isNil: Bool { self == nil }
}
