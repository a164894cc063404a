extension HTTPHeaders {
    /// The name of a header field. Names are equal if they differ in case at most.
    ///
    /// Functions that take a name take it as a string too:
    ///
    /// ```swift
    /// extension HTTPHeaders.Name { static var requestID: HTTPHeaders.Name { "X-Request-Id" } }
    ///
    /// var headers: HTTPHeaders = [.accept: "application/json", "X-Team": "a"]
    /// headers[.requestID] = headers["X-Team"]
    /// ```
    public struct Name: Sendable {
        /// The name, as it is sent.
        public let rawValue: String

        /// Creates a name. A request with a name that is not a token is rejected.
        public init(_ name: String) {
            rawValue = name
        }
    }

    /// The first value of a name. Setting it replaces all fields of that name with one. Setting `nil` removes them.
    public subscript(name: Name) -> String? {
        get { self[name.rawValue] }
        set { self[name.rawValue] = newValue }
    }

    /// The bytes of the first value of a name. Setting them replaces all fields of that name with one. Setting `nil`
    /// removes them.
    public subscript(bytes name: Name) -> [UInt8]? {
        get { self[bytes: name.rawValue] }
        set { self[bytes: name.rawValue] = newValue }
    }

    /// Returns all values of a name, in order.
    public func values(for name: Name) -> [String] { values(for: name.rawValue) }

    /// Returns whether a field has a name.
    public func contains(_ name: Name) -> Bool { contains(name.rawValue) }

    /// Appends a field. Fields with the same name are kept.
    public mutating func add(_ name: Name, _ value: String, isSensitive: Bool = false) {
        add(name.rawValue, value, isSensitive: isSensitive)
    }

    /// Replaces all fields of a name with one, at the position of the first.
    public mutating func set(_ name: Name, _ value: String, isSensitive: Bool = false) {
        set(name.rawValue, value, isSensitive: isSensitive)
    }

    /// Removes all fields of a name.
    public mutating func remove(_ name: Name) {
        remove(name.rawValue)
    }
}

extension HTTPRequest {
    /// Returns this request with a single header field of that name.
    public func settingHeader(_ name: HTTPHeaders.Name, _ value: String, isSensitive: Bool = false) -> HTTPRequest {
        settingHeader(name.rawValue, value, isSensitive: isSensitive)
    }

    /// Returns this request with one more header field. Fields with the same name are kept.
    public func addingHeader(_ name: HTTPHeaders.Name, _ value: String, isSensitive: Bool = false) -> HTTPRequest {
        addingHeader(name.rawValue, value, isSensitive: isSensitive)
    }

    /// Returns this request without the header fields of that name.
    public func removingHeader(_ name: HTTPHeaders.Name) -> HTTPRequest {
        removingHeader(name.rawValue)
    }
}

extension HTTPHeaders.Name: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension HTTPHeaders.Name: Hashable {
    public static func == (left: HTTPHeaders.Name, right: HTTPHeaders.Name) -> Bool {
        left.rawValue.isEqualIgnoringASCIICase(to: right.rawValue)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue.lowercased())
    }
}

extension HTTPHeaders.Name: CustomStringConvertible {
    public var description: String { rawValue }
}

// MARK: Registered names

extension HTTPHeaders.Name {
    /// `Accept` (RFC 9110, section 12.5.1).
    public static var accept: HTTPHeaders.Name { "Accept" }
    /// `Accept-Charset` (RFC 9110, section 12.5.2, deprecated).
    public static var acceptCharset: HTTPHeaders.Name { "Accept-Charset" }
    /// `Accept-Encoding` (RFC 9110, section 12.5.3).
    public static var acceptEncoding: HTTPHeaders.Name { "Accept-Encoding" }
    /// `Accept-Language` (RFC 9110, section 12.5.4).
    public static var acceptLanguage: HTTPHeaders.Name { "Accept-Language" }
    /// `Accept-Ranges` (RFC 9110, section 14.3).
    public static var acceptRanges: HTTPHeaders.Name { "Accept-Ranges" }
    /// `Allow` (RFC 9110, section 10.2.1).
    public static var allow: HTTPHeaders.Name { "Allow" }
    /// `Authentication-Info` (RFC 9110, section 11.6.3).
    public static var authenticationInfo: HTTPHeaders.Name { "Authentication-Info" }
    /// `Authorization` (RFC 9110, section 11.6.2).
    public static var authorization: HTTPHeaders.Name { "Authorization" }
    /// `Connection` (RFC 9110, section 7.6.1).
    public static var connection: HTTPHeaders.Name { "Connection" }
    /// `Content-Encoding` (RFC 9110, section 8.4).
    public static var contentEncoding: HTTPHeaders.Name { "Content-Encoding" }
    /// `Content-Language` (RFC 9110, section 8.5).
    public static var contentLanguage: HTTPHeaders.Name { "Content-Language" }
    /// `Content-Length` (RFC 9110, section 8.6).
    public static var contentLength: HTTPHeaders.Name { "Content-Length" }
    /// `Content-Location` (RFC 9110, section 8.7).
    public static var contentLocation: HTTPHeaders.Name { "Content-Location" }
    /// `Content-Range` (RFC 9110, section 14.4).
    public static var contentRange: HTTPHeaders.Name { "Content-Range" }
    /// `Content-Type` (RFC 9110, section 8.3).
    public static var contentType: HTTPHeaders.Name { "Content-Type" }
    /// `Date` (RFC 9110, section 6.6.1).
    public static var date: HTTPHeaders.Name { "Date" }
    /// `ETag` (RFC 9110, section 8.8.3).
    public static var eTag: HTTPHeaders.Name { "ETag" }
    /// `Expect` (RFC 9110, section 10.1.1).
    public static var expect: HTTPHeaders.Name { "Expect" }
    /// `From` (RFC 9110, section 10.1.2).
    public static var from: HTTPHeaders.Name { "From" }
    /// `Host` (RFC 9110, section 7.2).
    public static var host: HTTPHeaders.Name { "Host" }
    /// `If-Match` (RFC 9110, section 13.1.1).
    public static var ifMatch: HTTPHeaders.Name { "If-Match" }
    /// `If-Modified-Since` (RFC 9110, section 13.1.3).
    public static var ifModifiedSince: HTTPHeaders.Name { "If-Modified-Since" }
    /// `If-None-Match` (RFC 9110, section 13.1.2).
    public static var ifNoneMatch: HTTPHeaders.Name { "If-None-Match" }
    /// `If-Range` (RFC 9110, section 13.1.5).
    public static var ifRange: HTTPHeaders.Name { "If-Range" }
    /// `If-Unmodified-Since` (RFC 9110, section 13.1.4).
    public static var ifUnmodifiedSince: HTTPHeaders.Name { "If-Unmodified-Since" }
    /// `Last-Modified` (RFC 9110, section 8.8.2).
    public static var lastModified: HTTPHeaders.Name { "Last-Modified" }
    /// `Location` (RFC 9110, section 10.2.2).
    public static var location: HTTPHeaders.Name { "Location" }
    /// `Max-Forwards` (RFC 9110, section 7.6.2).
    public static var maxForwards: HTTPHeaders.Name { "Max-Forwards" }
    /// `Proxy-Authenticate` (RFC 9110, section 11.7.1).
    public static var proxyAuthenticate: HTTPHeaders.Name { "Proxy-Authenticate" }
    /// `Proxy-Authentication-Info` (RFC 9110, section 11.7.3).
    public static var proxyAuthenticationInfo: HTTPHeaders.Name { "Proxy-Authentication-Info" }
    /// `Proxy-Authorization` (RFC 9110, section 11.7.2).
    public static var proxyAuthorization: HTTPHeaders.Name { "Proxy-Authorization" }
    /// `Range` (RFC 9110, section 14.2).
    public static var range: HTTPHeaders.Name { "Range" }
    /// `Referer` (RFC 9110, section 10.1.3).
    public static var referer: HTTPHeaders.Name { "Referer" }
    /// `Retry-After` (RFC 9110, section 10.2.3).
    public static var retryAfter: HTTPHeaders.Name { "Retry-After" }
    /// `Server` (RFC 9110, section 10.2.4).
    public static var server: HTTPHeaders.Name { "Server" }
    /// `TE` (RFC 9110, section 10.1.4).
    public static var te: HTTPHeaders.Name { "TE" }
    /// `Trailer` (RFC 9110, section 6.6.2).
    public static var trailer: HTTPHeaders.Name { "Trailer" }
    /// `Upgrade` (RFC 9110, section 7.8).
    public static var upgrade: HTTPHeaders.Name { "Upgrade" }
    /// `User-Agent` (RFC 9110, section 10.1.5).
    public static var userAgent: HTTPHeaders.Name { "User-Agent" }
    /// `Vary` (RFC 9110, section 12.5.5).
    public static var vary: HTTPHeaders.Name { "Vary" }
    /// `Via` (RFC 9110, section 7.6.3).
    public static var via: HTTPHeaders.Name { "Via" }
    /// `WWW-Authenticate` (RFC 9110, section 11.6.1).
    public static var wwwAuthenticate: HTTPHeaders.Name { "WWW-Authenticate" }

    /// `Age` (RFC 9111, section 5.1).
    public static var age: HTTPHeaders.Name { "Age" }
    /// `Cache-Control` (RFC 9111, section 5.2).
    public static var cacheControl: HTTPHeaders.Name { "Cache-Control" }
    /// `Content-Disposition` (RFC 6266).
    public static var contentDisposition: HTTPHeaders.Name { "Content-Disposition" }
    /// `Cookie` (RFC 6265, section 5.4).
    public static var cookie: HTTPHeaders.Name { "Cookie" }
    /// `Expires` (RFC 9111, section 5.3).
    public static var expires: HTTPHeaders.Name { "Expires" }
    /// `Link` (RFC 8288, section 3).
    public static var link: HTTPHeaders.Name { "Link" }
    /// `Origin` (RFC 6454, section 7).
    public static var origin: HTTPHeaders.Name { "Origin" }
    /// `Prefer` (RFC 7240, section 2).
    public static var prefer: HTTPHeaders.Name { "Prefer" }
    /// `Set-Cookie` (RFC 6265, section 5.2).
    public static var setCookie: HTTPHeaders.Name { "Set-Cookie" }
    /// `Strict-Transport-Security` (RFC 6797, section 6.1).
    public static var strictTransportSecurity: HTTPHeaders.Name { "Strict-Transport-Security" }
    /// `Transfer-Encoding` (RFC 9112, section 6.1).
    public static var transferEncoding: HTTPHeaders.Name { "Transfer-Encoding" }
}
