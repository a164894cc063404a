extension HTTPRequest {
    /// Makes the request that an endpoint asks for.
    ///
    /// - Parameters:
    ///   - endpoint: The call.
    ///   - coders: What encodes its parameters.
    /// - Throws: ``HTTPError`` with ``HTTPError/Reason/encoding(_:)`` or ``HTTPError/Reason/body(_:)``, where a part of
    ///   it cannot be made.
    public init(_ endpoint: some Endpoint, coders: CoderRegistry = CoderRegistry()) throws(HTTPError) {
        self.init(endpoint.method, endpoint.path, options: endpoint.options)
        if let validation = endpoint.validation { options.validation = validation }
        if let name = endpoint.previewName { options.previewName = name }
        if endpoint.requiresAuthorization { options.requiresAuthorization = true }
        do {
            query = try endpoint.query
            headers = try endpoint.headers
        } catch {
            throw HTTPError(.encoding(error), request: summary)
        }
        do {
            body = try endpoint.body
        } catch {
            throw HTTPError(.body(error), request: summary)
        }
        guard let parameters = endpoint.parameters else { return }
        do {
            try add(parameters, endpoint.encoding, coders)
        } catch {
            throw HTTPError(.encoding(error), request: summary)
        }
    }

    private mutating func add(
        _ parameters: some Encodable, _ encoding: ParameterEncoding, _ coders: CoderRegistry
    ) throws {
        guard encoding != .query else { return query.append(contentsOf: try coders.query.encode(parameters)) }
        guard body.isEmpty else { throw ParametersBesideBody() }
        switch encoding {
        case .query: break
        case .json: body = try .encoding(parameters, with: coders.jsonEncoder)
        case .form: body = try .encoding(parameters, with: coders.formEncoder)
        case .multipart:
            var encoder = coders.query
            encoder.arrays = .indices
            body = try .multipart(MultipartForm(encoding: parameters, encoder: encoder))
        }
    }
}

/// An endpoint has a body, and parameters that would be another.
public struct ParametersBesideBody: Error, CustomStringConvertible {
    public var description: String { "the endpoint has a body and parameters to be sent as one" }
}
