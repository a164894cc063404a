/// A request: a value that says what to send, and nothing about how or when.
///
/// ```swift
/// let request = HTTPRequest(.get, "/search")
///     .addingQueryItem("q", "streams")
///     .settingHeader("Accept", "application/json")
/// ```
///
/// A target without a scheme is appended to the client's base URL; an absolute URL replaces it. A target that is no
/// URL is refused with ``HTTPError/InvalidRequest/malformedURL(_:)`` when the request is made.
public struct HTTPRequest: Sendable {
    public var method: HTTPMethod
    /// The URL, absolute or relative to the client's base URL.
    public var target: String
    /// Parameters added to the target's query.
    public var query: HTTPQuery
    public var headers: HTTPHeaders
    public var body: HTTPBody
    /// What this request wants otherwise than its client.
    public var options: RequestOptions

    public init(
        _ method: HTTPMethod, _ target: String, query: HTTPQuery = [], headers: HTTPHeaders = [:],
        body: HTTPBody = .empty, options: RequestOptions = RequestOptions()
    ) {
        self.method = method
        self.target = target
        self.query = query
        self.headers = headers
        self.body = body
        self.options = options
    }

    public init(
        _ method: HTTPMethod, _ url: URL, query: HTTPQuery = [], headers: HTTPHeaders = [:],
        body: HTTPBody = .empty, options: RequestOptions = RequestOptions()
    ) {
        self.init(method, url.absoluteString, query: query, headers: headers, body: body, options: options)
    }
}

extension HTTPRequest {
    /// This request with one value under a header's name.
    public func settingHeader(_ name: String, _ value: String, sensitive: Bool = false) -> HTTPRequest {
        changing { $0.headers.set(name, value, sensitive: sensitive) }
    }

    /// This request with one more header field.
    public func addingHeader(_ name: String, _ value: String, sensitive: Bool = false) -> HTTPRequest {
        changing { $0.headers.add(name, value, sensitive: sensitive) }
    }

    /// This request with one more query parameter; a name may repeat.
    public func addingQueryItem(_ name: String, _ value: String?) -> HTTPRequest {
        changing { $0.query.add(name, value) }
    }

    /// This request with another body.
    public func settingBody(_ body: HTTPBody) -> HTTPRequest {
        changing { $0.body = body }
    }

    /// This request with its options changed.
    public func settingOptions(_ change: (inout RequestOptions) -> Void) -> HTTPRequest {
        changing { change(&$0.options) }
    }

    private func changing(_ change: (inout HTTPRequest) -> Void) -> HTTPRequest {
        var copy = self
        change(&copy)
        return copy
    }
}
