extension HTTPClient {
    /// Returns the request that a link leads to, without the credentials that may not be sent there.
    ///
    /// - Parameters:
    ///   - link: The target of the link, which may be relative.
    ///   - request: The request whose response has the link.
    ///   - source: The URL of the response; by default that of the request.
    func request(
        following link: String, inResponseTo request: HTTPRequest, from source: URL? = nil
    ) throws(HTTPError) -> HTTPRequest {
        do throws(HTTPError.Reason) {
            let sent = try configuration.resolver.target(of: request)
            return try request.following(
                link, sentTo: sent, from: source.map { LazyURL($0) } ?? sent.url, scope: configuration.credentialScope)
        } catch {
            throw HTTPError(error, request: request.summary(configuration.redaction))
        }
    }
}

extension HTTPRequest {
    /// - Parameters:
    ///   - link: The target of the link.
    ///   - sent: The target of this request.
    ///   - source: The URL of the response with the link. A redirect may have led to it.
    ///   - scope: The origins among which credentials are kept, and links are followed.
    fileprivate func following(
        _ link: String, sentTo sent: URLResolver.Target, from source: LazyURL, scope: CredentialScope
    ) throws(HTTPError.Reason) -> HTTPRequest {
        let url = try RedirectPolicy.target(of: link, from: source)
        if source.isSecure, !url.isSecure { throw .redirect(.insecure) }
        // Otherwise, a server could make this program send requests to servers that only the program can reach.
        guard url.origin == source.origin || scope.contains(url.url, after: [source.url]) else {
            throw .redirect(.leavesOrigin)
        }
        var next = self
        next.target = url.text
        next.query = []
        // The user information of a URL belongs to its origin, but links lack it.
        if let authorization = sent.authorization, !next.headers.contains("Authorization") {
            next.headers.add("Authorization", authorization)
        }
        if method != .head { next.method = .get }
        next.body = .empty
        next.headers = next.headers.removingBodyFields()
        guard url.origin != sent.url.origin else { return next }
        next.headers.remove("Host")
        guard !scope.contains(url.url, after: [sent.url.url, source.url]) else { return next }
        next.headers = next.headers.removingSensitiveFields(except: [:])
        next.options.connection.clientCertificate = nil
        return next
    }
}
