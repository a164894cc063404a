/// What a handle is made ready for apart from the one request, so that it serves the next of its kind as it is.
struct CurlProfile: Hashable {
    let method: HTTPMethod
    let connection: ConnectionOptions
    let isPaced: Bool
    /// Whether libcurl could hold back the whole body, whatever coding it comes in.
    let isBounded: Bool
    let isSecure: Bool
    /// `nil` without a body, -1 where the length is unknown.
    let bodyLength: Int64?

    /// - Parameter bodyLength: What there is to send; `nil` where there is nothing.
    init(_ request: TransportRequest, bodyLength: Int64?) {
        method = request.method
        connection = request.connection
        isPaced = request.isPaced
        isBounded = !request.isPaced && request.maxBodySize.map { $0 <= CurlConfiguration.backlogLimit } == true
        isSecure = request.isSecure
        self.bodyLength = bodyLength ?? (request.method.anticipatesBody ? 0 : nil)
    }

    /// Whether a body, be it an empty one, is sent.
    var hasBody: Bool { bodyLength != nil }
}

extension TransportRequest {
    fileprivate var isSecure: Bool {
        let scheme = url.absoluteString.utf8.prefix(6)
        return scheme.count == 6 && zip(scheme, "https:".utf8).allSatisfy { $0.lowercasedASCII == $1 }
    }
}

extension HTTPMethod {
    /// Whether a request without content should say so (RFC 9110, section 8.6).
    fileprivate var anticipatesBody: Bool {
        self == .post || self == .put || self == .patch
    }
}
