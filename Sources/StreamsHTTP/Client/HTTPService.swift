/// A service on the network: its base URL, the settings that all requests to it share, and the content of its errors.
///
/// ```swift
/// struct Movies: HTTPService {
///     let baseURL = URL(literal: "https://api.example.com/3")
///
///     func configure(_ configuration: inout HTTPClient.Configuration) {
///         configuration.coders = .json(keys: .snakeCase)
///         configuration.options.retry.maxRetries = 2
///     }
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
/// Only the base URL is required. Values of a service are cheap to create and release: by default they share the
/// process's transport, and with it their connections. A request's own settings win over its service's.
public protocol HTTPService: Sendable {
    /// The decoded content of the service's error responses; by default their undecoded bodies.
    associatedtype ErrorContent: Sendable = Data

    /// The URL that the requests' paths are appended to.
    var baseURL: URL { get }

    /// Changes the configuration of the service's clients; does nothing by default.
    ///
    /// - Parameter configuration: A configuration with the ``baseURL``.
    func configure(_ configuration: inout HTTPClient.Configuration)

    /// Decodes the error content of a response that is an error. It is called once for each, and an error that it
    /// throws becomes a ``ServiceError/local(_:)`` error whose reason is ``HTTPError/Reason/decoding(_:_:)``.
    ///
    /// The default decodes a `Decodable` content with the decoder, and returns `Data`, a `String` in UTF-8, or nothing
    /// for `Void`. Content in an envelope of its own is decoded by `decoder.unwrapping("error")`, for instance.
    ///
    /// - Parameters:
    ///   - response: Its body is up to ``RequestOptions/maxErrorBodySize`` long.
    ///   - decoder: The configuration's decoder for the response's media type, without its
    ///     ``HTTPClient/Configuration/envelope``.
    func decodeErrorContent(
        from response: HTTPResponse<Data>, using decoder: any DataDecoder
    ) throws -> ErrorContent
}

extension HTTPService {
    public func configure(_ configuration: inout HTTPClient.Configuration) {}
}

extension HTTPService {
    /// The configuration of the service's clients.
    var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(baseURL: baseURL)
        configure(&configuration)
        return configuration
    }
}

extension HTTPService where ErrorContent: Decodable {
    public func decodeErrorContent(
        from response: HTTPResponse<Data>, using decoder: any DataDecoder
    ) throws -> ErrorContent {
        try response.decoded(as: ErrorContent.self, decoder: decoder)
    }
}

extension HTTPService where ErrorContent == Void {
    public func decodeErrorContent(
        from response: HTTPResponse<Data>, using decoder: any DataDecoder
    ) -> ErrorContent { () }
}
