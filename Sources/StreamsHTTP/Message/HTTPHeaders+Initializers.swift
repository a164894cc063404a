extension HTTPHeaders {
    /// Creates headers from a dictionary, sorted by name. `nil` values are omitted.
    public init(_ values: [String: String?]) {
        let fields = values.sorted { $0.key < $1.key }.compactMap { name, value in
            value.map { Field(name: name, value: $0) }
        }
        self.init(fields)
    }

    /// Creates headers from a value's properties. `nil` is omitted, and an array becomes a field for each element.
    ///
    /// ```swift
    /// struct Fields: Encodable {
    ///     let accept = "application/json"
    ///     let apiKey: String?
    ///     enum CodingKeys: String, CodingKey { case accept = "Accept", apiKey = "X-Api-Key" }
    /// }
    /// let headers = try HTTPHeaders(encoding: Fields(apiKey: nil))    // Accept: application/json
    /// ```
    ///
    /// - Throws: `EncodingError` for a value without a name, or the error of the value.
    public init(encoding value: some Encodable, encoder: QueryEncoder = QueryEncoder()) throws {
        self.init(try encoder.encode(value).map { Field(name: $0.name, value: $0.value ?? "") })
    }

    /// Appends the fields of other headers. Fields with the same name are kept.
    public mutating func append(contentsOf other: HTTPHeaders) {
        self = HTTPHeaders(fields + other.fields)
    }

    /// The header fields of a request that sends and accepts JSON.
    public static let json: HTTPHeaders = ["Accept": "application/json", "Content-Type": "application/json"]

    /// Returns the header fields of a request that sends a multipart form and accepts JSON.
    /// ``HTTPBody/multipart(_:boundary:)`` sets the boundary itself; these are for forms that were created elsewhere.
    public static func multipart(boundary: String) -> HTTPHeaders {
        let boundary = boundary.isToken ? boundary : "\"\(boundary)\""
        return ["Accept": "application/json", "Content-Type": "multipart/form-data; boundary=\(boundary)"]
    }
}
