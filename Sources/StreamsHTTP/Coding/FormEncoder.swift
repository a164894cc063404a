/// Encodes values as forms (`application/x-www-form-urlencoded`).
///
/// ```swift
/// try FormEncoder().encode(Login(user: "ada", password: "a b"))    // user=ada&password=a+b
/// ```
public struct FormEncoder: DataEncoder {
    /// The media type of forms.
    static let mediaType = "application/x-www-form-urlencoded"

    /// How a value is taken apart and its parts are named.
    public var fields: QueryEncoder

    /// Makes an encoder.
    public init(fields: QueryEncoder = QueryEncoder()) {
        self.fields = fields
    }

    /// `application/x-www-form-urlencoded`.
    public var contentType: String { Self.mediaType }

    /// A value's fields as a form.
    ///
    /// - Throws: `EncodingError` for a value without a name, and what the value or a custom strategy throws.
    public func encode(_ value: some Encodable) throws -> Data {
        Data(try fields.encode(value).formEncoded.utf8)
    }
}

extension Sequence<QueryItem> {
    /// The items as the WHATWG's URL standard serialises forms (section 5.2). A form knows no name without a value, so
    /// that one that stands alone has an empty one.
    var formEncoded: String {
        map { "\($0.name.formEncoded)=\(($0.value ?? "").formEncoded)" }.joined(separator: "&")
    }
}

extension String {
    /// This string with every byte but the WHATWG's `application/x-www-form-urlencoded` set percent-encoded, and
    /// spaces as plus signs.
    fileprivate var formEncoded: String {
        percentEncoded { byte in
            switch byte {
            case UInt8(ascii: " "): UInt8(ascii: "+")
            case _ where byte.isASCIIAlphanumeric || "*-._".utf8.contains(byte): byte
            default: nil
            }
        }
    }
}
