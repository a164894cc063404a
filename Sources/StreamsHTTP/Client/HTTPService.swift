/// A service on the network: the settings that all requests to it share.
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
/// Everything but the base URL has a default. Values of a service are cheap to create and release: by default they
/// share one transport, and with it their connections. A request's own settings win over its service's.
///
/// A property of one of these names that has another type does not compile, as in an ``Endpoint``.
public protocol HTTPService: Sendable {
    /// The decoded content of the service's error responses; by default their undecoded bodies.
    associatedtype ErrorContent: Sendable = Data

    /// The type of ``headers``: ``HTTPHeaders``.
    associatedtype HeadersValue = HTTPHeaders
    /// The type of ``query``: ``HTTPQuery``.
    associatedtype QueryValue = HTTPQuery
    /// The type of ``coders``: ``CoderRegistry``.
    associatedtype CodersValue = CoderRegistry
    /// The type of ``envelope``: an array of `String`.
    associatedtype EnvelopeValue = [String]
    /// The type of ``options``: ``RequestOptions``.
    associatedtype OptionsValue = RequestOptions
    /// The type of ``transport``: an ``HTTPTransport`` or `any HTTPTransport`.
    associatedtype TransportValue = any HTTPTransport
    /// The type of ``previewStore``: an optional ``PreviewStore``.
    associatedtype PreviewStoreValue = PreviewStore?

    /// The URL that the requests' paths are appended to.
    var baseURL: URL { get }
    /// Header fields for requests that do not set them.
    var headers: HeadersValue { get }
    /// Query parameters for requests that do not set them.
    var query: QueryValue { get }
    /// The coders of parameters, responses and error content, with the service's formats of dates and keys.
    var coders: CodersValue { get }
    /// The keys of the objects that contain the value of a successful response, outermost first: `["data"]` for
    /// `{"data": {"name": "Ada"}}`. None by default. Error content is decoded without it; see
    /// ``HTTPClient/Configuration/envelope``.
    var envelope: EnvelopeValue { get }
    /// Options for requests that do not set them: retries, timeouts and so on.
    var options: OptionsValue { get }
    /// The transport of the requests; ``CurlTransport/shared`` by default.
    var transport: TransportValue { get }
    /// The store of the responses in Xcode previews (``PreviewMode/automatic``); `nil`, the default, for responses from
    /// the network there as well. ``ServiceClient/previewing(_:store:)`` uses it by default.
    var previewStore: PreviewStoreValue { get }

    /// Configures settings that the service's other properties do not cover. Does nothing by default.
    ///
    /// - Parameter configuration: The configuration created from the service's other properties.
    func configure(_ configuration: inout HTTPClient.Configuration)

    /// Returns a new client for the service's requests. The default creates it from the properties.
    ///
    /// Its failures are ``HTTPError``; those of a ``ServiceClient`` have the service's error content.
    func makeClient() -> HTTPClient

    /// Decodes the error content of a response that is an error. It is called once for each, and an error that it
    /// throws becomes a ``ServiceError/local(_:)`` error whose reason is ``HTTPError/Reason/decoding(_:_:)``.
    ///
    /// The default decodes a `Decodable` content with the decoder, and returns `Data`, a `String` in UTF-8, or nothing
    /// for `Void`. Content in an envelope of its own is decoded by `decoder.unwrapping("error")`, for instance.
    ///
    /// - Parameters:
    ///   - response: Its body is up to ``RequestOptions/maxErrorBodySize`` long.
    ///   - decoder: The service's decoder for the response's media type, without the ``envelope``.
    func decodeErrorContent(
        from response: HTTPResponse<Data>, using decoder: any DataDecoder
    ) throws -> ErrorContent
}

// MARK: Defaults

extension HTTPService where HeadersValue == HTTPHeaders {
    public var headers: HeadersValue { [:] }
}

extension HTTPService where QueryValue == HTTPQuery {
    public var query: QueryValue { [] }
}

extension HTTPService where CodersValue == CoderRegistry {
    public var coders: CodersValue { CoderRegistry() }
}

extension HTTPService where EnvelopeValue == [String] {
    public var envelope: EnvelopeValue { [] }
}

extension HTTPService where OptionsValue == RequestOptions {
    public var options: OptionsValue { RequestOptions() }
}

extension HTTPService where TransportValue == any HTTPTransport {
    public var transport: TransportValue { CurlTransport.shared }
}

extension HTTPService where PreviewStoreValue == PreviewStore? {
    public var previewStore: PreviewStoreValue { nil }
}

extension HTTPService {
    public func configure(_ configuration: inout HTTPClient.Configuration) {}
}

// MARK: Error content

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

// MARK: Client

extension HTTPService
where
    HeadersValue == HTTPHeaders, QueryValue == HTTPQuery, CodersValue == CoderRegistry, EnvelopeValue == [String],
    OptionsValue == RequestOptions, TransportValue == any HTTPTransport, PreviewStoreValue == PreviewStore?
{
    public func makeClient() -> HTTPClient { makeClient(on: transport) }
}

extension HTTPService
where
    HeadersValue == HTTPHeaders, QueryValue == HTTPQuery, CodersValue == CoderRegistry, EnvelopeValue == [String],
    OptionsValue == RequestOptions, TransportValue: HTTPTransport, PreviewStoreValue == PreviewStore?
{
    public func makeClient() -> HTTPClient { makeClient(on: transport) }
}

extension HTTPService
where
    HeadersValue == HTTPHeaders, QueryValue == HTTPQuery, CodersValue == CoderRegistry, EnvelopeValue == [String],
    OptionsValue == RequestOptions, PreviewStoreValue == PreviewStore?
{
    fileprivate func makeClient(on transport: any HTTPTransport) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            baseURL: baseURL, defaultHeaders: headers, defaultQuery: query, options: options, coders: coders)
        configuration.envelope = envelope
        configure(&configuration)
        let client = HTTPClient(configuration: configuration, transport: transport)
        return previewStore.map { client.previewing(.automatic, store: $0) } ?? client
    }
}
