/// A request method (RFC 9110, section 9).
///
/// Any token is a valid method, so that new ones can be added:
///
/// ```swift
/// extension HTTPMethod {
///     static let propfind: HTTPMethod = "PROPFIND"
///     static let fetch = HTTPMethod("FETCH", isSafe: true)
/// }
/// ```
///
/// Whether a method is safe or idempotent decides whether its requests are repeated (``RetryPolicy``, ``HedgingPolicy``),
/// shared, and whether they make stored responses unusable. Methods with the same token are equal, whatever they are said
/// to be.
public struct HTTPMethod: RawRepresentable, Sendable {
    /// The method, as it is sent. Methods are case-sensitive.
    public let rawValue: String
    /// Whether the method only reads (RFC 9110, section 9.2.1).
    public let isSafe: Bool
    /// Whether sending the request twice has the same effect as sending it once (RFC 9110, section 9.2.2). Safe methods
    /// are idempotent.
    public let isIdempotent: Bool

    /// Creates a method from its token. A request whose method is not a token is rejected.
    ///
    /// GET, HEAD, OPTIONS, TRACE, QUERY, PROPFIND, REPORT and SEARCH are safe, and PUT and DELETE are idempotent. Others
    /// are neither.
    public init(rawValue: String) {
        self.init(
            rawValue, isSafe: Self.safeTokens.contains(rawValue),
            isIdempotent: Self.idempotentTokens.contains(rawValue))
    }

    /// Creates a method that is safe or idempotent by its definition, or by what a service promises.
    ///
    /// - Parameters:
    ///   - rawValue: The token.
    ///   - isSafe: Whether the method only reads.
    ///   - isIdempotent: Whether sending the request twice has the same effect as sending it once; always true if the
    ///     method is safe.
    public init(_ rawValue: String, isSafe: Bool, isIdempotent: Bool = false) {
        self.rawValue = rawValue
        self.isSafe = isSafe
        self.isIdempotent = isSafe || isIdempotent
    }

    private static let safeTokens: Set = [
        "GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PROPFIND", "REPORT", "SEARCH",
    ]
    private static let idempotentTokens: Set = ["PUT", "DELETE"]

    /// The method that retrieves a resource (RFC 9110, section 9.3.1).
    public static let get: HTTPMethod = "GET"
    /// The method that retrieves the head of the response to GET (RFC 9110, section 9.3.2).
    public static let head: HTTPMethod = "HEAD"
    /// The method that queries a resource by the content of the request (RFC 10008).
    public static let query: HTTPMethod = "QUERY"
    /// The method that passes content to a resource for processing (RFC 9110, section 9.3.3).
    public static let post: HTTPMethod = "POST"
    /// The method that creates or replaces a resource (RFC 9110, section 9.3.4).
    public static let put: HTTPMethod = "PUT"
    /// The method that changes a part of a resource (RFC 5789).
    public static let patch: HTTPMethod = "PATCH"
    /// The method that removes a resource (RFC 9110, section 9.3.5).
    public static let delete: HTTPMethod = "DELETE"
    /// The method that retrieves the options of a resource (RFC 9110, section 9.3.7).
    public static let options: HTTPMethod = "OPTIONS"
    /// The method that returns the request as the server received it (RFC 9110, section 9.3.8).
    public static let trace: HTTPMethod = "TRACE"
    /// The method that makes a tunnel of the connection. A request with it is rejected with
    /// ``HTTPError/InvalidRequest/method(_:)``: only the transport makes tunnels, through proxies.
    public static let connect: HTTPMethod = "CONNECT"

    /// The methods that are safe by themselves.
    static let safeMethods = Set(safeTokens.map(HTTPMethod.init(rawValue:)))
    /// The methods that are idempotent by themselves.
    static let idempotentMethods = safeMethods.union(idempotentTokens.map(HTTPMethod.init(rawValue:)))
}

extension HTTPMethod: Hashable {
    public static func == (first: HTTPMethod, second: HTTPMethod) -> Bool { first.rawValue == second.rawValue }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue)
    }
}

extension HTTPMethod: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

extension HTTPMethod: CustomStringConvertible {
    public var description: String { rawValue }
}
