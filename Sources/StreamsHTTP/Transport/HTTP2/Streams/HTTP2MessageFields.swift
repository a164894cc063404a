/// The fields of a request by HTTP/2 (RFC 9113, section 8.3.1).
struct HTTP2RequestFields {
    /// The fields that belong to a connection by HTTP/1.1, and that have no meaning here (RFC 9113, section 8.2.2). The
    /// authority and the length of the content are sent in their own way.
    private static let omittedNames: Set<String> = [
        "connection", "content-length", "host", "http2-settings", "keep-alive", "proxy-connection", "te",
        "transfer-encoding", "upgrade",
    ]
    /// The fields whose values hardly come again on a connection, so that they would only displace others in the table.
    private static let variableNames: Set<String> = [
        "content-range", "date", "if-match", "if-modified-since", "if-none-match", "if-range", "last-event-id", "range",
        "traceparent",
    ]

    private let request: TransportRequest
    private let length: Int64?

    /// - Parameters:
    ///   - request: The request.
    ///   - hasContent: Whether it has content.
    ///   - length: The length of the content; `nil` if it is unknown, or without content.
    init(_ request: TransportRequest, hasContent: Bool, length: Int64?) {
        self.request = request
        self.length = length ?? (!hasContent && request.method.anticipatesBody ? 0 : nil)
    }

    /// Returns the field block.
    func block(_ encoder: inout FieldBlockEncoder) -> [UInt8] {
        var block: [UInt8] = []
        block.reserveCapacity(256)
        encoder.begin(&block)
        let url = request.lazyURL
        func append(_ name: String, _ value: String, _ indexing: FieldBlockEncoder.Indexing) {
            encoder.append(HTTPHeaders.Field(name: name, value: value), indexing, to: &block)
        }
        append(":method", request.method.rawValue, .added)
        append(":scheme", url.isSecure ? "https" : "http", .added)
        append(":authority", request.headers["Host"] ?? String(url.host), .added)
        let target = String(url.pathAndQuery)
        append(":path", target.hasPrefix("/") ? target : "/\(target)", .omitted)
        let nominated = request.headers.listElements(of: "Connection").map { $0.lowercased() }
        for var field in request.headers.fields {
            field.name = field.name.lowercased()
            if Self.omittedNames.contains(field.name) || nominated.contains(field.name) { continue }
            field.text = field.text.trimmingBlanks
            encoder.append(field, Self.indexing(of: field), to: &block)
        }
        if request.headers.hasListElement("trailers", of: "TE") { append("te", "trailers", .added) }
        if let codings = request.offeredCodings { append("accept-encoding", codings, .added) }
        if let length { append("content-length", "\(length)", .omitted) }
        return block
    }

    private static func indexing(of field: HTTPHeaders.Field) -> FieldBlockEncoder.Indexing {
        if field.isSensitive { return .never }
        return variableNames.contains(field.name) ? .omitted : .added
    }
}

/// The fields of a response by HTTP/2, or of its trailers, checked (RFC 9113, sections 8.2 and 8.3).
struct HTTP2ResponseFields {
    /// The fields that belong to a connection by HTTP/1.1. A message that has one is malformed (RFC 9113, section 8.2.2).
    private static let connectionNames: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
    ]

    /// The status; `nil` for trailers.
    let status: HTTPStatus?
    let headers: HTTPHeaders

    init(_ fields: [HTTPHeaders.Field]) throws(HTTP2StreamError) {
        var rest = fields[...]
        if let first = fields.first, first.name.utf8.first == UInt8(ascii: ":") {
            guard first.name == ":status", let status = try? HTTPStatus(digits: first.value.utf8) else {
                throw HTTP2StreamError(.protocolError, .status)
            }
            self.status = status
            rest.removeFirst()
        } else {
            status = nil
        }
        for place in rest.indices {
            let field = rest[place]
            guard field.name.isNameOfHTTP2, !Self.connectionNames.contains(field.name), field.text.isValueOfHTTP2 else {
                throw HTTP2StreamError(.protocolError, .field)
            }
            rest[place].text = field.text.trimmingBlanks
        }
        headers = HTTPHeaders(rest)
    }
}

extension String {
    /// Whether this is a token without capitals. So no other field than the first can be a pseudo-header field.
    fileprivate var isNameOfHTTP2: Bool {
        !isEmpty && utf8.allAre { $0.isTokenByte && $0 == $0.lowercasedASCII }
    }
}

extension FieldText {
    /// Whether the value has none of the bytes with which other readers could be made to see another field.
    fileprivate var isValueOfHTTP2: Bool {
        string.utf8.allAre { $0 != 0 && $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
    }

    /// The value without the blanks around it, which RFC 9113, section 8.2.1, forbids. But servers send them, and curl
    /// accepts them.
    var trimmingBlanks: FieldText {
        let trimmed = string.trimmingOptionalWhitespace
        return trimmed.utf8.count == string.utf8.count ? self : FieldText(trimmed, of: self)
    }
}
