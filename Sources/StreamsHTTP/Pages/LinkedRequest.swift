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
                link, sentTo: sent, from: source.map { LazyURL($0) } ?? sent.url, by: configuration)
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
    ///   - configuration: The client's, with the origins among which credentials are kept, and links are followed.
    fileprivate func following(
        _ link: String, sentTo sent: URLResolver.Target, from source: LazyURL,
        by configuration: HTTPClient.Configuration
    ) throws(HTTPError.Reason) -> HTTPRequest {
        let scope = configuration.credentialScope
        let url = try RedirectPolicy.target(of: link, from: source)
        if source.isSecure, !url.isSecure { throw .redirect(.insecure) }
        // Otherwise, a server could make this program send requests to servers that only the program can reach.
        guard url.origin == source.origin || scope.contains(url.url, after: [source.url]) else {
            throw .redirect(.leavesOrigin)
        }
        var next = self
        next.target = url.text
        next.query = []
        next.keepUserInformation(of: sent, by: configuration)
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

    /// Adds the credentials in the URL that this request was sent to. They belong to its origin, but links lack them.
    private mutating func keepUserInformation(of sent: URLResolver.Target, by configuration: HTTPClient.Configuration) {
        guard let authorization = sent.authorization, !headers.contains("Authorization") else { return }
        // Those in the base URL are the client's, and its provider replaces them. Those in the URL of the request are
        // its own.
        if options.merging(defaults: configuration.options).requiresAuthorization == nil {
            options.requiresAuthorization = sent.isRelative
        }
        // A default of the client wins over them where it is sent.
        guard
            !configuration.defaultHeaders.contains("Authorization")
                || !configuration.credentialScope.contains(sent.url.url)
        else { return }
        headers.add("Authorization", authorization)
    }
}
