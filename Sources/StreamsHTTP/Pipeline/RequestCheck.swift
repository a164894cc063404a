extension HTTPHeaders {
    /// Refuses what would let a value of the user's become part of the protocol.
    func check(for method: HTTPMethod, _ body: HTTPBody) throws(HTTPError.Reason) {
        guard method.rawValue.isToken, method != .connect else { throw .invalidRequest(.method(method.rawValue)) }
        if method == .head || method == .trace, !body.isEmpty { throw .invalidRequest(.unexpectedBody(method)) }
        if let name = firstInvalidName { throw .invalidRequest(.header(name: name)) }
        // How the body is framed is the transport's to say (RFC 9112, section 6).
        if let field = first(where: \.saysFraming) { throw .invalidRequest(.header(name: field.name)) }
    }
}

extension TransportRequest {
    /// This request as it may be sent, whoever has made it.
    func checked() throws(HTTPError.Reason) -> TransportRequest {
        try headers.check(for: method, body)
        let target = try RequestTarget(url)
        var request = self
        request.url = target.url
        if let authorization = target.authorization, !headers.contains("Authorization") {
            request.headers.add("Authorization", authorization)
        }
        return request
    }
}

extension HTTPHeaders.Field {
    fileprivate var saysFraming: Bool {
        name.isEqualIgnoringASCIICase(to: "content-length") || name.isEqualIgnoringASCIICase(to: "transfer-encoding")
    }
}
