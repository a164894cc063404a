extension HTTPRequest {
    /// Returns this request as a typed call.
    ///
    /// ```swift
    /// let list = try await client.value(for: request.decoding(PokemonList.self))
    /// ```
    public func decoding<Response: Decodable>(_ type: Response.Type) -> some Endpoint<Response> {
        DecodedRequest(request: self)
    }
}

/// A request together with the type of its response.
private struct DecodedRequest<Response: Decodable>: Endpoint {
    let request: HTTPRequest

    var path: String { request.target }

    func makeRequest(using coders: CoderRegistry) -> HTTPRequest { request }
}
