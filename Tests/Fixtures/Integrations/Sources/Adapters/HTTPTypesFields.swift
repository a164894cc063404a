// swift-http-types: conversions of header fields, both ways. A sensitive field becomes one that must not be indexed
// (RFC 7541, section 7.1.3), and the other way round.

import HTTPTypes
import StreamsHTTP

extension HTTPHeaders {
    /// Creates header fields.
    public init(_ fields: HTTPFields) {
        self.init(
            fields.map { field in
                let isSensitive = field.indexingStrategy == .disallow
                return field.withUnsafeBytesOfValue { bytes in
                    Field(name: field.name.rawName, bytes: bytes, isSensitive: isSensitive)
                }
            })
    }
}

extension HTTPFields {
    /// Creates header fields; `nil` if a name or a value is invalid.
    public init?(_ headers: HTTPHeaders) {
        self.init()
        for header in headers {
            guard let name = HTTPField.Name(header.name), HTTPField.isValidValue(header.bytes) else { return nil }
            var field = HTTPField(name: name, value: header.bytes)
            if header.isSensitive { field.indexingStrategy = .disallow }
            append(field)
        }
    }
}
