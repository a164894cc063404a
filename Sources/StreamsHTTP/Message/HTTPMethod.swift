/// A request method (RFC 9110, section 9).
///
/// Any token is a method, so new verbs need no new case:
///
/// ```swift
/// extension HTTPMethod { static let report: HTTPMethod = "REPORT" }
/// ```
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    /// The method as it goes on the wire. Methods are case-sensitive.
    public let rawValue: String

    /// Makes a method from its token. A value that is no token is refused when a request with it is sent.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Asks for what is there (RFC 9110, section 9.3.1).
    public static let get: HTTPMethod = "GET"
    /// As GET, for the head alone (RFC 9110, section 9.3.2).
    public static let head: HTTPMethod = "HEAD"
    /// Gives content to what is there, to do with as it does (RFC 9110, section 9.3.3).
    public static let post: HTTPMethod = "POST"
    /// Puts content in place of what is there (RFC 9110, section 9.3.4).
    public static let put: HTTPMethod = "PUT"
    /// Changes a part of what is there (RFC 5789).
    public static let patch: HTTPMethod = "PATCH"
    /// Removes what is there (RFC 9110, section 9.3.5).
    public static let delete: HTTPMethod = "DELETE"
    /// Asks what can be done with it (RFC 9110, section 9.3.7).
    public static let options: HTTPMethod = "OPTIONS"
    /// Asks for the request to be sent back as it arrived (RFC 9110, section 9.3.8).
    public static let trace: HTTPMethod = "TRACE"
    /// It makes a tunnel of the connection, which no request here could use: one with it is refused with
    /// ``HTTPError/InvalidRequest/method(_:)``. Proxies are the transport's.
    public static let connect: HTTPMethod = "CONNECT"

    /// Whether the method only reads (RFC 9110, section 9.2.1).
    public var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace: true
        default: false
        }
    }

    /// Whether sending the request twice means the same as sending it once (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool {
        isSafe || self == .put || self == .delete
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
