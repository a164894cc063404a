/// A service on the network: what all requests to it have in common.
///
/// ```swift
/// struct Movies: HTTPService {
///     let baseURL = URL(literal: "https://api.example.com/3")
///
///     struct ErrorContent: Decodable, Sendable {
///         let code: Int
///         let message: String
///     }
/// }
///
/// let movies = ServiceClient(Movies())
/// let popular = try await movies.value(for: PopularMovies())
/// ```
///
/// Everything but the base URL has a default. Values of a service may be made and dropped at will: unless they say
/// otherwise they share one transport, and with it their connections. What a request says itself wins over its service.
public protocol HTTPService: Sendable {
    /// What the service's answers hold where they are errors; by default their bodies as they came.
    associatedtype ErrorContent: Sendable = Data

    /// What the requests' paths are appended to.
    var baseURL: URL { get }
    /// Fields for requests that do not have them.
    var headers: HTTPHeaders { get }
    /// Parameters for requests that do not have them.
    var query: HTTPQuery { get }
    /// What encodes parameters and decodes answers and error content, with the service's ways to write dates and keys.
    var coders: CoderRegistry { get }
    /// Settings for requests that leave them open: retries, timeouts and so on.
    var options: RequestOptions { get }
    /// What carries the requests; ``CurlTransport/shared`` by default.
    var transport: any HTTPTransport { get }

    /// Settles what a service's other properties do not. Does nothing by default.
    ///
    /// - Parameter configuration: Made of the service's other properties.
    func configure(_ configuration: inout HTTPClient.Configuration)

    /// Makes the error content from a response that is an error. It is called once for each, and what it throws becomes
    /// a ``ServiceError/local(_:)`` error whose reason is ``HTTPError/Reason/decoding(_:_:)``.
    ///
    /// The default decodes a `Decodable` content with the decoder, and hands on `Data`, a `String` in UTF-8, or nothing
    /// for `Void`.
    ///
    /// - Parameters:
    ///   - response: Its body is up to ``RequestOptions/maxErrorBodySize`` long.
    ///   - decoder: The one of the service's coders that the response's media type asks for.
    func decodeErrorContent(
        from response: HTTPResponse<Data>, using decoder: any DataDecoder
    ) throws -> ErrorContent
}

extension HTTPService {
    public var headers: HTTPHeaders { [:] }
    public var query: HTTPQuery { [] }
    public var coders: CoderRegistry { CoderRegistry() }
    public var options: RequestOptions { RequestOptions() }
    public var transport: any HTTPTransport { CurlTransport.shared }
    public func configure(_ configuration: inout HTTPClient.Configuration) {}
}

extension HTTPService where ErrorContent: Decodable {
    public func decodeErrorContent(
        from response: HTTPResponse<Data>, using decoder: any DataDecoder
    ) throws -> ErrorContent {
        try response.decodedBody(using: decoder)
    }
}

extension HTTPService where ErrorContent == Void {
    public func decodeErrorContent(
        from response: HTTPResponse<Data>, using decoder: any DataDecoder
    ) -> ErrorContent { () }
}

extension HTTPClient {
    /// Makes a client for the requests of a service.
    ///
    /// Its failures are ``HTTPError``; those of a ``ServiceClient`` have the service's error content.
    public init(_ service: some HTTPService) {
        self.init(configuration: Configuration(service), transport: service.transport)
    }
}

extension HTTPClient.Configuration {
    /// What a service's requests have in common.
    public init(_ service: some HTTPService) {
        self.init(
            baseURL: service.baseURL, defaultHeaders: service.headers, defaultQuery: service.query,
            options: service.options, coders: service.coders)
        service.configure(&self)
    }
}
