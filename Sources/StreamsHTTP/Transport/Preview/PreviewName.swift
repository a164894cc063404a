/// The names of a request's preview, in the order of the search.
enum PreviewName {
    static func candidates(for request: TransportRequest) -> [String] {
        request.previewName.map { [$0] } ?? candidates(for: request.url)
    }

    static func candidates(for url: URL) -> [String] {
        let path = url.path(percentEncoded: true).split(separator: "/")
        let authority = (url.host() ?? "") + (url.port.map { ":\($0)" } ?? "")
        let parts = [authority[...]] + path
        let whole = parts.joined(separator: "/")
        let query = url.query(percentEncoded: true)?.split(separator: "&") ?? []
        let withQuery = query.indices.reversed().map { last in
            "\(whole)?\(query[...last].joined(separator: "&"))"
        }
        let withoutQuery = parts.indices.reversed().map { last in
            parts[...last].joined(separator: "/")
        }
        return withQuery + withoutQuery
    }
}
