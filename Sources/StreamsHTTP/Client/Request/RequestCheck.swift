extension HTTPHeaders {
    /// Rejects fields and methods with which a user's value could become part of the protocol.
    func check(for method: HTTPMethod, _ body: HTTPBody) throws(HTTPError.Reason) {
        guard method.rawValue.isToken, method != .connect else { throw .invalidRequest(.method(method.rawValue)) }
        if method == .head || method == .trace, !body.isEmpty { throw .invalidRequest(.unexpectedBody(method)) }
        if let name = firstInvalidName {
            throw .invalidRequest(name.isToken ? .headerValue(of: name) : .headerName(name))
        }
        // The transport sets the body's framing (RFC 9112, section 6).
        if let field = first(where: \.saysFraming) { throw .invalidRequest(.framingHeader(field.name)) }
    }
}

extension TransportRequest {
    /// Returns this request, checked and with credentials in its URL moved to a field.
    ///
    /// - Parameter keepsDotSegments: Whether the URL's segments `.` and `..` remain.
    func checked(keepsDotSegments: Bool) throws(HTTPError.Reason) -> TransportRequest {
        try headers.check(for: method, body)
        let target = try URLResolver.target(of: url, keepsDotSegments: keepsDotSegments)
        var request = self
        request.lazyURL = target.url
        if let authorization = target.authorization, !headers.contains("Authorization") {
            request.headers.add("Authorization", authorization)
        }
        return request
    }

    /// Returns this request with the values in its body encoded.
    func encodingBody(by coders: @autoclosure () -> CoderRegistry) throws(HTTPError.Reason) -> TransportRequest {
        guard body.hasValues else { return self }
        var request = self
        do {
            request.body = try body.encoded(by: coders())
        } catch {
            throw .thrown(error, by: .encoder)
        }
        return request
    }
}

extension HTTPHeaders.Field {
    fileprivate var saysFraming: Bool {
        name.isEqualIgnoringASCIICase(to: "content-length") || name.isEqualIgnoringASCIICase(to: "transfer-encoding")
    }
}
