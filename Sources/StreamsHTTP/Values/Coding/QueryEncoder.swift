/// An encoder of values into the fields of queries, forms and headers.
///
/// ```swift
/// struct Search: Encodable { let term: String, tags: [String], page: Page }
/// try QueryEncoder().encode(search)      // term=apple&tags=a&tags=b&page[size]=20
/// ```
///
/// The parameters are in the order in which the value encodes them. Those of a dictionary are sorted by key. `nil` and
/// empty collections are omitted. A value without a name, such as a single number, cannot be encoded.
public struct QueryEncoder: Sendable {
    /// The format of nested names.
    public enum Nesting: Hashable, Sendable {
        /// `a[b]`.
        case brackets
        /// `a.b`.
        case dots
    }

    /// The format of the names of array elements.
    public enum Arrays: Hashable, Sendable {
        /// `a=1&a=2`.
        case repeated
        /// `a[]=1&a[]=2`.
        case brackets
        /// `a[0]=1&a[1]=2`, or `a.0=1&a.1=2` with dots.
        case indices
    }

    /// The format of Boolean values.
    public enum Bools: Hashable, Sendable {
        /// `true` and `false`.
        case words
        /// `1` and `0`.
        case digits
    }

    /// The format of data.
    public enum Bytes: Sendable {
        /// Base64 with the standard alphabet and padding (RFC 4648, section 4).
        case base64
        /// A custom string.
        case custom(@Sendable (Data) throws -> String)
    }

    /// The format of nested names; brackets by default.
    public var nesting: Nesting
    /// The format of the names of array elements; the repeated name of the array by default.
    public var arrays: Arrays
    /// The format of Boolean values; words by default.
    public var bools: Bools
    /// The format of data; Base64 by default.
    public var bytes: Bytes
    /// The format of dates; that of `Date` itself by default.
    public var dates: CoderRegistry.DateCoding
    /// The conversion of property names; none by default.
    public var keys: CoderRegistry.KeyCoding

    /// Creates an encoder.
    public init(
        nesting: Nesting = .brackets, arrays: Arrays = .repeated, bools: Bools = .words, bytes: Bytes = .base64,
        keys: CoderRegistry.KeyCoding = .useDefaultKeys, dates: CoderRegistry.DateCoding = .deferredToDate
    ) {
        self.nesting = nesting
        self.arrays = arrays
        self.bools = bools
        self.bytes = bytes
        self.dates = dates
        self.keys = keys
    }

    /// Returns a value's fields as a query.
    ///
    /// - Throws: `EncodingError` for a value without a name, or the error of the value or of a custom format.
    public func encode(_ value: some Encodable) throws -> HTTPQuery {
        let collector = FieldCollector(style: self)
        try collector.encode(value, under: FieldPath())
        return HTTPQuery(collector.fields)
    }
}

extension HTTPQuery {
    /// Creates a query of a value's fields.
    ///
    /// - Throws: The error of the encoder.
    public init(encoding value: some Encodable, encoder: QueryEncoder = QueryEncoder()) throws {
        self = try encoder.encode(value)
    }
}
