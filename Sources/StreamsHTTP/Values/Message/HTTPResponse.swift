/// The response of a server.
///
/// `Body` is the type of the decoded value, `Data` for the undecoded body, or `Void` for the head only.
public struct HTTPResponse<Body> {
    // Boxed, because a response is copied often, and its copies with other bodies share the head.
    private let head: Box<ResponseHead>
    /// The body.
    public let body: Body

    /// Creates a response, for transports, interceptors and tests.
    public init(
        status: HTTPStatus, headers: HTTPHeaders = [:], body: Body, url: URL, redirects: [URL] = [],
        version: HTTPVersion = .http11, trailers: HTTPHeaders = [:], reasonPhrase: String = ""
    ) {
        self.init(
            status: status, headers: headers, body: body, url: LazyURL(url), redirects: redirects, version: version,
            trailers: trailers, reasonPhrase: FieldText(reasonPhrase))
    }

    init(
        status: HTTPStatus, headers: HTTPHeaders, body: Body, url: LazyURL, redirects: [URL] = [],
        version: HTTPVersion, trailers: HTTPHeaders = [:], reasonPhrase: FieldText = ""
    ) {
        self.init(
            Box(
                ResponseHead(
                    status: status, headers: headers, trailers: trailers, url: url, redirects: redirects,
                    version: version, reasonPhrase: reasonPhrase)), body)
    }

    private init(_ head: Box<ResponseHead>, _ body: Body) {
        self.head = head
        self.body = body
    }

    /// The status code.
    public var status: HTTPStatus { head.value.status }
    /// The header fields, in the order received; without `Content-Encoding` and `Content-Length` if the body has been
    /// decoded (``RequestOptions/Connection/decodesContent``).
    public var headers: HTTPHeaders { head.value.headers }
    /// The trailers: the fields after the body, in the order received (RFC 9110, section 6.5). They are never merged
    /// into ``headers``. Empty in a response without its body.
    public var trailers: HTTPHeaders { head.value.trailers }
    /// The URL of the response, after redirects.
    public var url: URL { head.value.url.url }
    /// The URLs that redirected to this response, in order; empty if there were no redirects. The first is the
    /// requested URL, without the changes of interceptors.
    public var redirects: [URL] { head.value.redirects }
    /// The version of HTTP.
    public var version: HTTPVersion { head.value.version }
    /// The reason phrase of the status line, as received (RFC 9112, section 4). It has no meaning of its own, may be
    /// empty, and is not compared by `==`. HTTP/2 has none.
    public var reasonPhrase: String { head.value.reasonPhrase.string }
    /// The reason phrase with its bytes.
    package var reasonText: FieldText { head.value.reasonPhrase }

    /// The header fields as they were received, also those that ``headers`` lacks because the body has been decoded.
    var receivedHeaders: HTTPHeaders { head.value.receivedHeaders ?? headers }

    /// The use of the client's cache for the response; `nil` if the client has no ``HTTPClient/Configuration/cache``. It is
    /// not compared by `==`.
    public var cacheStatus: CacheStatus? { head.value.cacheStatus }

    /// Returns the response with the use of the cache.
    func with(cacheStatus: CacheStatus) -> HTTPResponse {
        var head = head.value
        head.cacheStatus = cacheStatus
        return HTTPResponse(Box(head), body)
    }

    /// Returns the response with the URLs that redirected to it.
    func with(redirects: [URL]) -> HTTPResponse {
        var head = head.value
        head.redirects = redirects
        return HTTPResponse(Box(head), body)
    }

    /// Returns the response with trailers.
    func with(trailers: HTTPHeaders) -> HTTPResponse {
        guard !trailers.isEmpty else { return self }
        var head = head.value
        head.trailers = trailers
        return HTTPResponse(Box(head), body)
    }

    /// Returns the response without the fields that describe the encoded form of its body. They remain among the
    /// ``receivedHeaders``.
    func removingFieldsOfCoding() -> HTTPResponse {
        var head = head.value
        head.receivedHeaders = receivedHeaders
        head.headers.remove("Content-Encoding")
        head.headers.remove("Content-Length")
        return HTTPResponse(Box(head), body)
    }

    /// Returns the response with another body.
    public func replacingBody<Other>(_ body: Other) -> HTTPResponse<Other> { HTTPResponse<Other>(head, body) }
}

/// The parts of a response before its body.
private struct ResponseHead: Equatable, Sendable {
    let status: HTTPStatus
    var headers: HTTPHeaders
    /// The header fields as they were received; `nil` if they are the same.
    var receivedHeaders: HTTPHeaders?
    var trailers: HTTPHeaders
    let url: LazyURL
    var redirects: [URL]
    let version: HTTPVersion
    let reasonPhrase: FieldText
    /// The use of the client's cache; `nil` if it has none.
    var cacheStatus: CacheStatus?

    /// Whether both are the same to the program, however they were received. The reason phrase has no meaning, and
    /// recordings do not contain it.
    static func == (left: ResponseHead, right: ResponseHead) -> Bool {
        left.status == right.status && left.headers == right.headers && left.trailers == right.trailers
            && left.url == right.url && left.redirects == right.redirects && left.version == right.version
    }
}

extension HTTPResponse: Sendable where Body: Sendable {}

extension HTTPResponse: Equatable where Body: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        left.body == right.body && (left.head === right.head || left.head.value == right.head.value)
    }
}

extension HTTPResponse: CustomStringConvertible {
    /// The version, the status and the URL, without secrets.
    public var description: String { "\(version) \(status.code), \(Redaction.usual.redacting(url))".printable }
}

extension HTTPResponse: CustomReflectable {
    /// The properties, without secrets. Of an undecoded body, only the size is shown.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "status": status, "headers": headers, "body": (body as? Data).map { "\($0.count) bytes" } ?? body,
                "trailers": trailers, "url": Redaction.usual.redacting(url),
                "redirects": redirects.map { Redaction.usual.redacting($0) }, "version": version,
            ])
    }
}

extension HTTPResponse where Body == Void {
    /// The body's length as declared by the server, in bytes on the wire; `nil` if it declared none.
    package var declaredLength: Int64? {
        // A transfer coding determines where the body ends and overrides `Content-Length` (RFC 9112, section 6.3).
        let headers = receivedHeaders
        guard !headers.contains("Transfer-Encoding"), case .bytes(let length) = headers.contentLength else {
            return nil
        }
        return length
    }

    /// Returns the length of the body in a response to a method, in bytes on the wire; `nil` if it is not declared, or
    /// if there is no body.
    package func contentLength(inAnswerTo method: HTTPMethod) -> Int64? {
        hasContent(inAnswerTo: method) ? declaredLength : nil
    }
}

extension HTTPResponse {
    /// Returns whether the response to a method can have content. Some have none, whatever they declare (RFC 9110, section
    /// 6.4.1).
    func hasContent(inAnswerTo method: HTTPMethod) -> Bool {
        method != .head && status != .noContent && status != .notModified
    }
}

/// The HTTP version of a response.
public struct HTTPVersion: Hashable, Sendable, CustomStringConvertible {
    /// The major version.
    public let major: Int
    /// The minor version; 0 from HTTP/2 on.
    public let minor: Int

    /// Creates a version from its numbers.
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

extension HTTPResponse {
    /// The URL in the `Location` of a redirect, resolved against the response's own URL (RFC 9110, section 10.2.2); the
    /// field's text if it cannot be resolved, and `nil` for a response that is no redirect.
    package var location: String? {
        guard status.isRedirection, let location = headers.text(for: "Location") else { return nil }
        guard let target = try? URLResolver(baseURL: url).target(ofLocation: location.urlText) else {
            return location.string
        }
        return target.url.text
    }
}

/// The length that `Content-Length` declares (RFC 9110, section 8.6).
enum ContentLength: Equatable {
    /// There is no such field.
    case undeclared
    case bytes(Int64)
    /// The value is not a number, is too large, or differs from that of another field.
    case invalid
}

extension HTTPHeaders {
    /// The declared length of the body. A value can be a list of equal numbers (RFC 9112, section 6.3).
    var contentLength: ContentLength {
        var length = ContentLength.undeclared
        for field in fields where field.name.isEqualIgnoringASCIICase(to: "Content-Length") {
            let next = field.value.declaredLength
            guard next != .invalid, length == .undeclared || length == next else { return .invalid }
            length = next
        }
        return length
    }
}

extension String {
    fileprivate var declaredLength: ContentLength {
        if let number = decimalNumber { return .bytes(number) }
        let numbers = split(separator: ",", omittingEmptySubsequences: false).map {
            String($0).trimmingOptionalWhitespace.decimalNumber
        }
        guard let first = numbers.first, let first, numbers.allSatisfy({ $0 == first }) else { return .invalid }
        return .bytes(first)
    }
}
