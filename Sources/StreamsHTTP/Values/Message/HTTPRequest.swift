/// The description of a request as a value, independent of the client that sends it.
///
/// ```swift
/// let request = HTTPRequest(.get, "/search")
///     .addingQueryItem("q", "streams")
///     .settingHeader(.accept, "application/json")
/// ```
///
/// A target without a scheme is appended to the client's base URL; an absolute URL replaces it. A request with a
/// malformed target fails with ``HTTPError/InvalidRequest/malformedURL(_:)`` before anything is sent.
public struct HTTPRequest: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The URL, absolute or relative to the client's base URL.
    public var target: String
    /// The parameters to add to the target's query.
    public var query: HTTPQuery
    /// The header fields. They replace the client's default fields of the same names.
    public var headers: HTTPHeaders
    /// The body; `.empty` for none.
    public var body: HTTPBody
    /// The options of this request, which replace the client's.
    public var options: RequestOptions

    /// Creates a request to a target, which is validated when a client makes the request.
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

    /// Creates a request from the parts of a URL; see ``settingPath(_:)`` for the syntax of the path.
    public init(
        _ method: HTTPMethod = .get, scheme: Scheme = .https, host: String, port: Int? = nil, path: String = ""
    ) {
        self = HTTPRequest(scheme: scheme, method: method).settingHost(host, port: port).settingPath(path)
    }

    /// Creates a request without a host; set it with ``settingHost(_:port:)``.
    public init(scheme: Scheme, method: HTTPMethod = .get) {
        self.init(method, "\(scheme):")
    }

    /// Creates a request to an absolute URL.
    public init(
        _ method: HTTPMethod, _ url: URL, query: HTTPQuery = [], headers: HTTPHeaders = [:],
        body: HTTPBody = .empty, options: RequestOptions = RequestOptions()
    ) {
        self.init(method, url.absoluteString, query: query, headers: headers, body: body, options: options)
    }
}

extension HTTPRequest: CustomReflectable {
    /// The properties, without secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "method": method, "target": Redaction.usual.redacting(url: target), "query": query, "headers": headers,
                "body": body, "options": options,
            ], displayStyle: .struct)
    }
}

extension HTTPRequest {
    /// A URL's scheme.
    public enum Scheme: String, Hashable, Sendable, CaseIterable {
        /// In clear text.
        case http
        /// Over TLS.
        case https
    }
}

extension HTTPRequest.Scheme: CustomStringConvertible {
    public var description: String { rawValue }
}

extension HTTPRequest {
    /// Returns a path of segments. Each is percent-encoded, so that none can change the structure of the path.
    ///
    /// ```swift
    /// HTTPRequest.path(components: "users", "a/b", "größe")    // users/a%2Fb/gr%C3%B6%C3%9Fe
    /// ```
    ///
    /// The segments `.` and `..` are encoded too, but a server may decode `%2E` (RFC 3986, section 6.2.2.2). Validate
    /// segments that come from outside.
    public static func path(components: String...) -> String {
        path(components: components)
    }

    /// Returns a path of segments. Each is percent-encoded, so that none can change the structure of the path.
    public static func path(components: some Sequence<String>) -> String {
        components.map { component in
            component == "." || component == ".." ? component.replacing(".", with: "%2E") : component.percentEncoded
        }.joined(separator: "/")
    }
}
