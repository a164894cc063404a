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
