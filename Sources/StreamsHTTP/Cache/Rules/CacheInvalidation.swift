/// The stored responses that a request made invalid (RFC 9111, section 4.4).
enum CacheInvalidation {
    /// Returns the keys whose records are to be removed after a response: those of the request's URL, and of the URLs
    /// in `Location` and `Content-Location` with the same origin. Empty after a safe method and an error.
    static func keys(after head: HTTPResponse<Void>, to request: TransportRequest) -> Set<CacheKey> {
        guard !request.method.isSafe, head.status.isSuccess || head.status.isRedirection else { return [] }
        let resolver = URLResolver(baseURL: request.url)
        let origin = request.lazyURL.origin
        let locations = ["Location", "Content-Location"].compactMap { head.headers.unanimousValue(for: $0) }
            .compactMap { try? resolver.target(ofLocation: $0.urlText).url }.filter { $0.origin == origin }
        return Set(([request.lazyURL] + locations).flatMap { keys(of: $0, connection: request.connection) })
    }

    /// Returns the keys of the first records for a URL: of decoded bodies, and of others.
    static func keys(of url: LazyURL, connection: RequestOptions.Connection) -> [CacheKey] {
        [true, false].map { CacheKey(url: url, connection: connection, decodesContent: $0) }
    }
}
