import Foundation

/// A URL, built of its parts.
public struct URI: Sendable {
    fileprivate let components: URLComponents

    public var url: URL? { components.url }
}

/// A builder of a URL.
public final class URIBuilder {
    private var components = URLComponents()

    public init() {}

    public func withScheme(_ scheme: URIScheme) -> URIBuilder {
        components.scheme = scheme.rawValue
        return self
    }

    public func withHost(_ host: String) -> URIBuilder {
        components.host = host
        return self
    }

    public func withPort(_ port: UInt16?) -> URIBuilder {
        components.port = port.map(Int.init)
        return self
    }

    public func withPath(_ path: String) -> URIBuilder {
        components.percentEncodedPath = path
        return self
    }

    public func build() -> URI { URI(components: components) }
}

/// A URL's scheme.
public enum URIScheme: String, Sendable {
    case http
    case https
}

/// The error of a client.
public enum ClientError: Error {
    case dataNotFound(String)
}
