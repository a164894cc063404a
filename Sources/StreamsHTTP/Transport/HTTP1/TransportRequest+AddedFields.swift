extension TransportRequest {
    /// The fields that the transport adds to ``headers`` by HTTP/1.1, without those for a proxy. For logs.
    package var addedFields: HTTPHeaders {
        var added = HTTPHeaders()
        if !headers.contains("Host") { added.add("Host", String(lazyURL.host)) }
        if offersContentCodings, !headers.contains("Accept-Encoding"), let codings = ContentCoding.accepted {
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
}
