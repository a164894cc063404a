import Dispatch

#if canImport(CLibcurl)
extension HTTPClient {
    /// Creates a client.
    ///
    /// - Parameters:
    ///   - configuration: The settings that its requests share.
    ///   - transport: The transport; by default ``CurlTransport/shared``, so that all clients share their connections
    ///     and one thread.
    public convenience init(configuration: Configuration, transport: (any HTTPTransport)? = nil) {
        let transport = transport ?? CurlTransport.shared
        self.init(configuration: configuration, transport: transport, scheduler: DispatchQueue.global())
    }

    /// Creates a client for requests below a URL, or for absolute URLs.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that relative targets are appended to.
    ///   - authorization: The provider of credentials for requests to the client's origins.
    public convenience init(baseURL: URL? = nil, authorization: (any AuthorizationProvider)? = nil) {
        self.init(configuration: Configuration(baseURL: baseURL, authorization: authorization))
    }

    /// Creates a client for requests below a URL that is a literal.
    ///
    /// An invalid literal stops the program when it is first used, as that of `URL(literal:)` does.
    ///
    /// - Parameters:
    ///   - baseURL: The percent-encoded URL that relative targets are appended to.
    ///   - authorization: The provider of credentials for requests to the client's origins.
    ///   - file: The file of the literal.
    ///   - line: The line of the literal.
    public convenience init(
        baseURL: StaticString, authorization: (any AuthorizationProvider)? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(baseURL: URL(literal: baseURL, file: file, line: line), authorization: authorization)
    }
}

extension ServiceClient {
    /// Creates a client for a service.
    ///
    /// - Parameters:
    ///   - service: The service, which configures the client.
    ///   - transport: The transport; by default the one that clients share, as for
    ///     ``HTTPClient/init(configuration:transport:)``.
    public init(_ service: Service, transport: (any HTTPTransport)? = nil) {
        self.init(service, client: HTTPClient(configuration: service.configuration, transport: transport))
    }
}
#else
// StreamsFoundation has the initializers without a transport. Theirs is on `URLSession`.

extension HTTPClient {
    /// Creates a client.
    ///
    /// - Parameters:
    ///   - configuration: The settings that its requests share.
    ///   - transport: The transport.
    public convenience init(configuration: Configuration, transport: any HTTPTransport) {
        self.init(configuration: configuration, transport: transport, scheduler: DispatchQueue.global())
    }
}

extension ServiceClient {
    /// Creates a client for a service.
    ///
    /// - Parameters:
    ///   - service: The service, which configures the client.
    ///   - transport: The transport.
    public init(_ service: Service, transport: any HTTPTransport) {
        self.init(service, client: HTTPClient(configuration: service.configuration, transport: transport))
    }
}
#endif
