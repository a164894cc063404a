/// Items behind a request that callers may shape, each for its own purpose.
///
/// ```swift
/// struct PokemonSource: ReadableDataSource {
///     typealias Item = PokemonList
///     let client: HTTPClient
///     let request = HTTPRequest(.get, "/pokemon")
/// }
/// let list = try await source.read { $0.addingQueryItem("offset", "10").addingQueryItem("limit", "20") }
/// ```
public protocol DataSource: Sendable {
    /// What makes the requests.
    var client: HTTPClient { get }
    /// The request that callers' changes begin with.
    var request: HTTPRequest { get }
}

/// A data source that can be read.
public protocol ReadableDataSource<Item>: DataSource {
    /// What is read; the body as it came by default.
    associatedtype Item: Decodable = Data

    /// Reads what a request answers.
    ///
    /// - Parameter configure: Makes the request of the source's.
    /// - Throws: ``HTTPError``.
    func read(_ configure: (HTTPRequest) -> HTTPRequest) async throws(HTTPError) -> Item
}

/// A data source that can be written to.
public protocol WritableDataSource<WrittenItem>: DataSource {
    /// What is written.
    associatedtype WrittenItem: Encodable & Sendable

    /// Sends an item, with PUT unless the request says otherwise.
    ///
    /// - Parameters:
    ///   - item: What to send; as JSON, with the client's coders.
    ///   - configure: Makes the request of the source's, which has no body of its own.
    /// - Throws: ``HTTPError``; of ``ParametersBesideBody`` where the request has one.
    @discardableResult
    func write(
        _ item: WrittenItem, _ configure: (HTTPRequest) -> HTTPRequest
    ) async throws(HTTPError) -> HTTPResponse<Data>
}

/// A data source whose items can be deleted.
public protocol DeletableDataSource: DataSource {
    /// Deletes what a request names, with DELETE.
    ///
    /// - Parameter configure: Makes the request of the source's.
    /// - Throws: ``HTTPError``.
    @discardableResult
    func delete(_ configure: (HTTPRequest) -> HTTPRequest) async throws(HTTPError) -> HTTPResponse<Data>
}

extension ReadableDataSource {
    public func read(_ configure: (HTTPRequest) -> HTTPRequest) async throws(HTTPError) -> Item {
        try await client.value(for: configure(request).decoding(Item.self))
    }

    /// Reads what the source's request answers.
    public func read() async throws(HTTPError) -> Item {
        try await read { $0 }
    }
}

extension WritableDataSource {
    @discardableResult
    public func write(
        _ item: WrittenItem, _ configure: (HTTPRequest) -> HTTPRequest
    ) async throws(HTTPError) -> HTTPResponse<Data> {
        var base = request
        if base.method == .get { base.method = .put }
        return try await client.response(for: Writing(request: configure(base), item: item))
    }

    /// Sends an item with the source's request.
    @discardableResult
    public func write(_ item: WrittenItem) async throws(HTTPError) -> HTTPResponse<Data> {
        try await write(item) { $0 }
    }
}

extension DeletableDataSource {
    @discardableResult
    public func delete(_ configure: (HTTPRequest) -> HTTPRequest) async throws(HTTPError) -> HTTPResponse<Data> {
        try await client.data(for: configure(request.settingMethod(.delete)))
    }

    /// Deletes what the source's request names.
    @discardableResult
    public func delete() async throws(HTTPError) -> HTTPResponse<Data> {
        try await delete { $0 }
    }
}

/// A request that sends an item.
private struct Writing<Item: Encodable & Sendable>: Endpoint {
    let request: HTTPRequest
    let item: Item

    var path: String { request.target }
    var method: HTTPMethod { request.method }
    var query: HTTPQuery { request.query }
    var headers: HTTPHeaders { request.headers }
    var body: HTTPBody { request.body }
    var parameters: (any Encodable & Sendable)? { item }
    var encoding: ParameterEncoding { .json }
    var options: RequestOptions { request.options }
}
