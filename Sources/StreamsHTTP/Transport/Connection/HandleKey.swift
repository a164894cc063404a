/// The options of a request that are set once for an easy handle. Requests with equal keys can share a handle.
struct HandleKey: Hashable {
    /// Whether the handle only opens a connection.
    let opensConnection: Bool
    let method: HTTPMethod
    let connection: ConnectionOptions
    let usesBackpressure: Bool
    let isSecure: Bool
    /// The length of the request's body: `nil` without a body, -1 if it is unknown.
    let bodyLength: Int64?

    /// - Parameter bodyLength: The length of the request's body: `nil` without a body, -1 if it is unknown.
    init(_ request: TransportRequest, bodyLength: Int64?) {
        opensConnection = false
        method = request.method
        connection = request.connection
        usesBackpressure = request.isPaced
        isSecure = request.isSecure
        self.bodyLength = bodyLength ?? (request.method.anticipatesBody ? 0 : nil)
    }

    /// Creates the key of a handle that opens a connection for a request.
    init(opening request: TransportRequest) {
        opensConnection = true
        method = .get
        connection = request.connection
        usesBackpressure = false
        isSecure = request.isSecure
        bodyLength = nil
    }

    /// Whether a body is sent, which may be empty.
    var hasBody: Bool { bodyLength != nil }
}

extension HandleKey {
    /// The URL of the proxy, as the options or the environment have it now; `nil` without a proxy.
    var proxyURL: String? {
        switch connection.proxy {
        case .none: nil
        case .url(let url, _): url
        case .environment: environmentProxyURL
        }
    }

    /// The proxy that libcurl would find in the environment. It is read here so that a handle keeps to it. `HTTP_PROXY`
    /// is not read, since it comes from a header field in CGI programs.
    private var environmentProxyURL: String? {
        let names = isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        for name in names + ["all_proxy", "ALL_PROXY"] {
            if let value = getenv(name), value.pointee != 0 { return String(cString: value) }
        }
        return nil
    }
}

extension TransportRequest {
    /// Whether the URL is one of https.
    var isSecure: Bool {
        let scheme = lazyURL.text.utf8.prefix(6)
        return scheme.count == 6 && zip(scheme, "https:".utf8).allSatisfy { $0.lowercasedASCII == $1 }
    }
}

extension HTTPMethod {
    /// Whether a request without content should have a Content-Length of zero (RFC 9110, section 8.6).
    var anticipatesBody: Bool {
        self == .post || self == .put || self == .patch
    }
}
