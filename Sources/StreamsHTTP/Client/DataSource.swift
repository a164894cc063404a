/// A source of items: a client, and a base request that each caller may modify.
///
/// ```swift
/// struct PokemonSource: DataSource {
///     typealias Item = PokemonList
///     let client: HTTPClient
///     let request = HTTPRequest(.get, "/pokemon")
/// }
/// let list = try await source.read { $0.addingQueryItem("offset", "10").addingQueryItem("limit", "20") }
/// ```
public protocol DataSource<Item>: Sendable {
    /// The type of the items that are read; the undecoded body by default.
    associatedtype Item: Decodable = Data

    /// The client that makes the requests.
    var client: HTTPClient { get }
    /// The base request that callers modify.
    var request: HTTPRequest { get }
}

extension DataSource {
    /// Reads the item that a request returns.
    ///
    /// - Parameter configure: Creates the request from the base request.
    /// - Throws: ``HTTPError``.
    public func read(_ configure: (HTTPRequest) -> HTTPRequest = { $0 }) async throws(HTTPError) -> Item {
        try await client.value(for: configure(request).decoding(Item.self))
    }

    /// Sends an item, with PUT unless the request sets another method.
    ///
    /// - Parameters:
    ///   - item: The item to send; as JSON, with the client's coders.
    ///   - configure: Creates the request, without a body, from the base request.
    /// - Throws: ``HTTPError``; one of ``HTTPBody/Failure/besideParameters`` if the request has a body.
    @discardableResult
    public func write(
        _ item: some Encodable & Sendable, _ configure: (HTTPRequest) -> HTTPRequest = { $0 }
    ) async throws(HTTPError) -> HTTPResponse<Data> {
        var base = request
        if base.method == .get { base.method = .put }
        return try await client.response(for: Writing(request: configure(base), parameters: item))
    }

    /// Deletes the item that a request identifies, with DELETE.
    ///
    /// - Parameter configure: Creates the request from the base request.
    /// - Throws: ``HTTPError``.
    @discardableResult
    public func delete(
        _ configure: (HTTPRequest) -> HTTPRequest = { $0 }
    ) async throws(HTTPError) -> HTTPResponse<Data> {
        try await client.response(for: configure(request.settingMethod(.delete)))
    }
}

/// An endpoint that sends an item.
private struct Writing<Item: Encodable & Sendable>: Endpoint {
    let request: HTTPRequest
    let parameters: Item

    var path: String { request.target }
    var method: HTTPMethod { request.method }
    var query: HTTPQuery { request.query }
    var headers: HTTPHeaders { request.headers }
    var body: HTTPBody { request.body }
    var encoding: ParameterEncoding { .json }
    var options: RequestOptions { request.options }
}
