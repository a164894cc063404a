/// What a server answered.
///
/// `Body` is the decoded value, `Data` for a body collected as it came, or `Void` for the head alone.
public struct HTTPResponse<Body> {
    /// The status.
    public let status: HTTPStatus
    /// The fields of the head, in the order in which they came.
    public let headers: HTTPHeaders
    /// The body.
    public let body: Body
    /// Where the response came from, after redirects.
    public let url: URL
    /// The places that redirected here, in order; empty when the first answered. The first is the URL that was asked
    /// for, without what interceptors made of it.
    public let redirects: [URL]
    /// The version of HTTP it came by.
    public let version: HTTPVersion

    /// Makes a response, for transports, interceptors and tests.
    public init(
        status: HTTPStatus, headers: HTTPHeaders = [:], body: Body, url: URL, redirects: [URL] = [],
        version: HTTPVersion = .http11
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
        self.redirects = redirects
        self.version = version
    }

    /// The same response with another body.
    public func replacingBody<Other>(_ body: Other) -> HTTPResponse<Other> {
        HTTPResponse<Other>(
            status: status, headers: headers, body: body, url: url, redirects: redirects, version: version)
    }
}

extension HTTPResponse: Sendable where Body: Sendable {}
extension HTTPResponse: Equatable where Body: Equatable {}

extension HTTPResponse where Body == Void {
    /// The body's length as the server declared it, in bytes on the wire; `nil` when it did not.
    package var declaredLength: Int64? {
        // Chunks say where the body ends, whatever length is given besides (RFC 9112, section 6.3).
        guard !headers.contains("Transfer-Encoding"), let text = headers["Content-Length"] else { return nil }
        // Digits and nothing else (RFC 9110, section 8.6), where `Int64` takes a sign before them.
        guard let first = text.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return nil }
        return Int64(text)
    }

    /// The length of the body that comes, in bytes on the wire, where the server declared it. Some responses have none
    /// whatever they declare (RFC 9110, section 6.4.1).
    package func contentLength(inAnswerTo method: HTTPMethod) -> Int64? {
        method == .head || status == .noContent || status == .notModified ? nil : declaredLength
    }
}

/// The protocol version a response came by.
public struct HTTPVersion: Hashable, Sendable, CustomStringConvertible {
    /// The number before the point.
    public let major: Int
    /// The number behind the point; 0 from HTTP/2 on, which has none.
    public let minor: Int

    /// Makes a version of its numbers.
    public init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// HTTP/1.0 (RFC 1945).
    public static let http10 = HTTPVersion(major: 1, minor: 0)
    /// HTTP/1.1 (RFC 9112).
    public static let http11 = HTTPVersion(major: 1, minor: 1)
    /// HTTP/2 (RFC 9113).
    public static let http2 = HTTPVersion(major: 2, minor: 0)

    public var description: String { major == 1 ? "HTTP/\(major).\(minor)" : "HTTP/\(major)" }
}
