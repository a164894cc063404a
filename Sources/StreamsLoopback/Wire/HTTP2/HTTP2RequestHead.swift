/// The head of a request over HTTP/2. It is validated strictly (RFC 9113 section 8.3).
struct HTTP2RequestHead: Sendable {
    let method: String
    let target: String
    /// The fields that begin with a colon, in order.
    let pseudoHeaders: HeaderFields
    let headers: HeaderFields
    /// The length that the head declares.
    let length: Int?

    init(_ fields: [HPACKField], stream: Int) throws(HTTP2Violation) {
        let count = fields.prefix { $0.name.first == UInt8(ascii: ":") }.count
        pseudoHeaders = try Self.pseudoHeaders(fields.prefix(count), stream: stream)
        headers = try Self.headers(fields.dropFirst(count), stream: stream)
        guard let method = pseudoHeaders[":method"], !method.isEmpty else {
            throw Self.malformed("a request without :method", stream)
        }
        self.method = method
        if method == "CONNECT" {
            guard let authority = pseudoHeaders[":authority"], pseudoHeaders.count == 2 else {
                throw Self.malformed("a CONNECT with other fields than :method and :authority", stream)
            }
            target = authority
        } else {
            guard pseudoHeaders[":scheme"] != nil, let path = pseudoHeaders[":path"],
                path.hasPrefix("/") || (path == "*" && method == "OPTIONS")
            else { throw Self.malformed("a request without :scheme or :path", stream) }
            target = path
        }
        let lengths = Set(headers.values(of: "content-length"))
        guard lengths.count <= 1 else { throw Self.malformed("different lengths: \(lengths.sorted())", stream) }
        length = try lengths.first.map { text throws(HTTP2Violation) in
            guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(text) else {
                throw Self.malformed("not a length: \(text)", stream)
            }
            return length
        }
        if let host = headers["host"], let authority = pseudoHeaders[":authority"], host != authority {
            throw Self.malformed("a host other than :authority", stream)
        }
    }

    /// Whether the client waits for status 100 before it sends the body.
    var expectsContinue: Bool { headers.list("expect", contains: "100-continue") }

    /// The path and the query of the target.
    var location: (path: String, query: String?) {
        guard let mark = target.firstIndex(of: "?") else { return (target, nil) }
        return (String(target[..<mark]), String(target[target.index(after: mark)...]))
    }

    /// Returns validated header or trailer fields.
    static func headers(_ fields: some Sequence<HPACKField>, stream: Int) throws(HTTP2Violation) -> HeaderFields {
        var headers = HeaderFields()
        for field in fields {
            let name = decoded(field.name)
            // Names are in lower case.
            let isLowercased = !field.name.contains { (0x41...0x5A).contains($0) }
            guard isLowercased, RequestHead.isToken(field.name[...]) else {
                throw malformed("not a field name: \(name)", stream)
            }
            guard isValue(field.value) else { throw malformed("not a value of \(name)", stream) }
            guard !connectionFields.contains(name), name != "te" || decoded(field.value) == "trailers" else {
                throw malformed("the connection-specific field \(name)", stream)
            }
            headers.append(HeaderFields.Field(name: name, bytes: field.value))
        }
        return headers
    }

    private static func pseudoHeaders(
        _ fields: some Sequence<HPACKField>, stream: Int
    ) throws(HTTP2Violation) -> HeaderFields {
        var headers = HeaderFields()
        for field in fields {
            let name = decoded(field.name)
            guard [":method", ":scheme", ":authority", ":path"].contains(name), headers[name] == nil else {
                throw malformed("an unknown or repeated field \(name)", stream)
            }
            guard isValue(field.value) else { throw malformed("not a value of \(name)", stream) }
            headers.append(HeaderFields.Field(name: name, bytes: field.value))
        }
        return headers
    }

    /// The fields that describe a connection of HTTP/1.1 (RFC 9113 section 8.2.2).
    static let connectionFields: Set = [
        "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
    ]

    private static func malformed(_ reason: String, _ stream: Int) -> HTTP2Violation {
        HTTP2Violation(.protocolError, reason, stream: stream)
    }

    /// Whether bytes are a value without control characters, and without white space around it.
    private static func isValue(_ bytes: [UInt8]) -> Bool {
        let isPadding = { (byte: UInt8?) in byte == 0x20 || byte == 0x09 }
        return bytes.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) } && !isPadding(bytes.first)
            && !isPadding(bytes.last)
    }
}
