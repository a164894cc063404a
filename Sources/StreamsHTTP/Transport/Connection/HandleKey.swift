/// The options of a request that are set once for an easy handle. Requests with equal keys can share a handle.
struct HandleKey: Hashable {
    /// Whether the handle only opens a connection.
    let opensConnection: Bool
    let isByHTTP1: Bool
    let method: HTTPMethod
    let connection: RequestOptions.Connection
    /// The URL of the proxy; `nil` without a proxy.
    let proxyURL: String?
    let usesBackpressure: Bool
    let isSecure: Bool
    /// The length of the request's body: `nil` without a body, -1 if it is unknown.
    let bodyLength: Int64?

    /// - Parameter bodyLength: The length of the request's body: `nil` without a body, -1 if it is unknown.
    init(_ request: TransportRequest, _ route: Route, bodyLength: Int64?) {
        opensConnection = false
        isByHTTP1 = request.isByHTTP1
        method = request.method
        connection = request.connection
        proxyURL = route.proxyURL
        usesBackpressure = request.isPaced
        isSecure = request.isSecure
        self.bodyLength = bodyLength ?? (request.method.anticipatesBody ? 0 : nil)
    }

    /// Creates the key of a handle that opens a connection for a request.
    init(opening request: TransportRequest, _ route: Route) {
        opensConnection = true
        isByHTTP1 = true
        method = .get
        connection = request.connection
        proxyURL = route.proxyURL
        usesBackpressure = false
        isSecure = request.isSecure
        bodyLength = nil
    }

    /// Whether a body is sent, which may be empty.
    var hasBody: Bool { bodyLength != nil }
}

extension HTTPMethod {
    /// Whether a request without content should have a Content-Length of zero (RFC 9110, section 8.6).
    var anticipatesBody: Bool {
        self == .post || self == .put || self == .patch
    }
}
