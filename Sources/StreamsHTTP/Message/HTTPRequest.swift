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
    /// The method.
    public var method: HTTPMethod
    /// The URL, absolute or relative to the client's base URL.
    public var target: String
    /// Parameters added to the target's query.
    public var query: HTTPQuery
    /// Fields of this request, in place of those of the same name that the client has for all.
    public var headers: HTTPHeaders
    /// What is sent along; `.empty` is nothing.
    public var body: HTTPBody
    /// What this request wants otherwise than its client.
    public var options: RequestOptions

    /// Makes a request to a target, which is looked at when the request is made.
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

    /// Makes a request of a URL's parts; see ``setPath(_:)`` for what a path may be.
    public init(
        _ method: HTTPMethod = .get, scheme: HTTPScheme = .https, host: String, port: Int? = nil, path: String = ""
    ) {
        self.init(scheme: scheme, method: method)
        setHost(host, port: port)
        setPath(path)
    }

    /// Makes a request that is yet to be told where to.
    public init(scheme: HTTPScheme, method: HTTPMethod = .get) {
        self.init(method, "\(scheme):")
    }

    /// Makes a request to an absolute URL.
    public init(
        _ method: HTTPMethod, _ url: URL, query: HTTPQuery = [], headers: HTTPHeaders = [:],
        body: HTTPBody = .empty, options: RequestOptions = RequestOptions()
    ) {
        self.init(method, url.absoluteString, query: query, headers: headers, body: body, options: options)
    }
}
