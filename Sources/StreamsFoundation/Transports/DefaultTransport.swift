#if !canImport(CLibcurl)
import Foundation
import StreamsHTTP

// StreamsHTTP has these initializers if its transport is on libcurl. They are here if it is not.

extension URLSessionTransport {
    /// The transport of clients that are given none, so that they share their connections.
    fileprivate static let shared = URLSessionTransport()
}

extension HTTPClient {
    /// Creates a client whose transport is a ``URLSessionTransport`` that the process shares.
    ///
    /// - Parameter configuration: The settings that its requests share.
    public convenience init(configuration: Configuration) {
        self.init(configuration: configuration, transport: URLSessionTransport.shared)
    }

    /// Creates a client for requests below a URL, or for absolute URLs, whose transport is a ``URLSessionTransport``
    /// that the process shares.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that relative targets are appended to.
    ///   - authorization: The provider of credentials for requests to the client's origins.
    public convenience init(baseURL: URL? = nil, authorization: (any AuthorizationProvider)? = nil) {
        self.init(configuration: Configuration(baseURL: baseURL, authorization: authorization))
    }

    /// Creates a client for requests below a URL that is a literal, whose transport is a ``URLSessionTransport`` that
    /// the process shares.
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
    /// Creates a client for a service, whose transport is a ``URLSessionTransport`` that the process shares.
    ///
    /// - Parameter service: The service, which configures the client.
    public init(_ service: Service) {
        self.init(service, transport: URLSessionTransport.shared)
    }
}
#endif
