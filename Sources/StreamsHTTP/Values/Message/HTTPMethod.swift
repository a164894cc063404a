/// A request method (RFC 9110, section 9).
///
/// Any token is a valid method, so that new ones can be added:
///
/// ```swift
/// extension HTTPMethod { static let report: HTTPMethod = "REPORT" }
/// ```
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    /// The method, as it is sent. Methods are case-sensitive.
    public let rawValue: String

    /// Creates a method from its token. A request whose method is not a token is rejected.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The method that retrieves a resource (RFC 9110, section 9.3.1).
    public static let get: HTTPMethod = "GET"
    /// The method that retrieves the head of the response to GET (RFC 9110, section 9.3.2).
    public static let head: HTTPMethod = "HEAD"
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

    /// Whether the method only reads (RFC 9110, section 9.2.1).
    public var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace: true
        default: false
        }
    }

    /// Whether sending the request twice has the same effect as sending it once (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool { Self.idempotentMethods.contains(self) }

    static let idempotentMethods: Set<HTTPMethod> = [.get, .head, .options, .trace, .put, .delete]
}

extension HTTPMethod: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

extension HTTPMethod: CustomStringConvertible {
    public var description: String { rawValue }
}
