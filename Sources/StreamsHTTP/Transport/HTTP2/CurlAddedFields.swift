extension TransportRequest {
    /// The fields that libcurl adds to ``headers`` by HTTP/1.1, without those for a proxy. For logs.
    package var addedFields: HTTPHeaders {
        var added = HTTPHeaders()
        if !headers.contains("Host") { added.add("Host", host) }
        if connection.decodesContent, !headers.contains("Accept-Encoding"), let codings = ContentCoding.accepted {
            added.add("Accept-Encoding", codings)
        }
        guard !body.isEmpty else {
            if method.anticipatesBody { added.add("Content-Length", "0") }
            return added
        }
        // A file that cannot be read fails the request.
        if let length = try? body.content.measuredLength() {
            added.add("Content-Length", "\(length)")
        } else {
            added.add("Transfer-Encoding", "chunked")
        }
        return added
    }

    /// The host of the URL, with the port unless it is that of the scheme (RFC 9110, section 7.2).
    private var host: String {
        let text = lazyURL.text
        let schemeEnd = text.firstRange(of: "://")
        let authority = text[(schemeEnd?.upperBound ?? text.startIndex)...].prefix { !"/?#".contains($0) }
        let defaultPort = text.prefix(6).lowercased() == "https:" ? ":443" : ":80"
        return String(authority.hasSuffix(defaultPort) ? authority.dropLast(defaultPort.count) : authority)
    }
}
