/// An endpoint whose type is erased to its answer's.
public struct AnyEndpoint<Response>: Endpoint {
    /// What was erased.
    public let base: any Endpoint<Response>

    /// Erases an endpoint; one that is erased already is taken over.
    public init(_ base: some Endpoint<Response>) {
        self.base = (base as? AnyEndpoint<Response>)?.base ?? base
    }

    public var path: String { base.path }
    public var method: HTTPMethod { base.method }
    public var query: HTTPQuery { get throws { try base.query } }
    public var headers: HTTPHeaders { get throws { try base.headers } }
    public var body: HTTPBody { get throws { try base.body } }
    public var parameters: (any Encodable & Sendable)? { base.parameters }
    public var encoding: ParameterEncoding { base.encoding }
    public var requiresAuthorization: Bool { base.requiresAuthorization }
    public var validation: ResponseValidation? { base.validation }
    public var decoder: (any DataDecoder)? { base.decoder }
    public var previewName: String? { base.previewName }
    public var options: RequestOptions { base.options }

    public func decode(_ response: HTTPResponse<Data>, using decoder: any DataDecoder) throws -> Response {
        try base.decode(response, using: decoder)
    }
}

/// A request together with what its answer is; made by ``HTTPRequest/decoding(_:)``.
public struct DecodedRequest<Response: Decodable>: Endpoint {
    /// What is sent.
    public let request: HTTPRequest

    public var path: String { request.target }
    public var method: HTTPMethod { request.method }
    public var query: HTTPQuery { request.query }
    public var headers: HTTPHeaders { request.headers }
    public var body: HTTPBody { request.body }
    public var options: RequestOptions { request.options }
}

extension HTTPRequest {
    /// This request as a typed call.
    ///
    /// ```swift
    /// let list = try await client.value(for: request.decoding(PokemonList.self))
    /// ```
    public func decoding<Response: Decodable>(_ type: Response.Type) -> DecodedRequest<Response> {
        DecodedRequest(request: self)
    }
}
