/// Encodes values into a query's parameters.
///
/// ```swift
/// struct Search: Encodable { let term: String, tags: [String], page: Page }
/// try QueryEncoder().encode(search)      // term=apple&tags=a&tags=b&page[size]=20
/// ```
///
/// The parameters come in the order in which the value encodes them, those of a dictionary in the order of its keys.
/// What is `nil` is left out, and so is a collection without elements. A value that has no name, such as a number on
/// its own, cannot be encoded.
public struct QueryEncoder: Sendable {
    /// How the name of a value within a value is written.
    public enum Nesting: Hashable, Sendable {
        /// `a[b]`.
        case brackets
        /// `a.b`.
        case dots
    }

    /// How the elements of an array are written.
    public enum Arrays: Hashable, Sendable {
        /// `a=1&a=2`.
        case repeated
        /// `a[]=1&a[]=2`.
        case brackets
        /// `a[0]=1&a[1]=2`, or `a.0=1&a.1=2` with dots.
        case indices
    }

    /// How truth values are written.
    public enum Bools: Hashable, Sendable {
        /// `true` and `false`.
        case words
        /// `1` and `0`.
        case digits
    }

    /// How data is written.
    public enum Bytes: Sendable {
        /// With the standard alphabet and padding (RFC 4648, section 4).
        case base64
        /// As a text of one's own.
        case custom(@Sendable (Data) throws -> String)
    }

    /// How the name of a value within a value is written; in brackets by default.
    public var nesting: Nesting
    /// How the elements of an array are written; by repeating its name by default.
    public var arrays: Arrays
    /// How truth values are written; as words by default.
    public var bools: Bools
    /// How data is written; as Base64 by default.
    public var bytes: Bytes
    /// How dates are written; as `Date` does it by default.
    public var dates: DateCoding
    /// How the names of properties are written; as they are by default.
    public var keys: KeyCoding

    /// Makes an encoder.
    public init(
        nesting: Nesting = .brackets, arrays: Arrays = .repeated, bools: Bools = .words, bytes: Bytes = .base64,
        dates: DateCoding = .deferredToDate, keys: KeyCoding = .useDefaultKeys
    ) {
        self.nesting = nesting
        self.arrays = arrays
        self.bools = bools
        self.bytes = bytes
        self.dates = dates
        self.keys = keys
    }

    /// A value's fields.
    ///
    /// - Throws: `EncodingError` for a value without a name, and what the value or a custom strategy throws.
    public func encode(_ value: some Encodable) throws -> HTTPQuery {
        let sink = FieldSink(style: self)
        try sink.encode(value, under: FieldPath())
        return HTTPQuery(sink.fields)
    }
}

extension HTTPQuery {
    /// Makes a query of a value's fields.
    ///
    /// - Throws: What the encoder throws.
    public init(encoding value: some Encodable, encoder: QueryEncoder = QueryEncoder()) throws {
        self = try encoder.encode(value)
    }
}
