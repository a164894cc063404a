extension HTTPHeaders {
    /// Makes headers of a dictionary, in the order of its names. What is `nil` is left out.
    public init(_ values: [String: String?]) {
        let fields = values.sorted { $0.key < $1.key }.compactMap { name, value in
            value.map { Field(name: name, value: $0) }
        }
        self.init(fields)
    }

    /// Makes headers of a value's properties. What is `nil` is left out, and an array is a field for each element.
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
    /// - Throws: `EncodingError` for a value that is no name and text, and what the value throws.
    public init(encoding value: some Encodable, encoder: QueryEncoder = QueryEncoder()) throws {
        self.init(try encoder.encode(value).map { Field(name: $0.name, value: $0.value ?? "") })
    }

    /// Appends the fields of other headers; those of the same names stay.
    public mutating func append(contentsOf other: HTTPHeaders) {
        self = HTTPHeaders(fields + other.fields)
    }

    /// What a request has that sends and expects JSON.
    public static let json: HTTPHeaders = ["Accept": "application/json", "Content-Type": "application/json"]

    /// What a request has that sends and expects JSON, with a token as its authorization (RFC 6750).
    public static func json(bearerToken: String) -> HTTPHeaders {
        json.addingBearerToken(bearerToken)
    }

    /// What a request has that sends a form in parts and expects JSON. ``HTTPBody/multipart(_:boundary:)`` says the
    /// boundary itself; this is for bodies that were put together elsewhere.
    public static func multipart(boundary: String) -> HTTPHeaders {
        let boundary = boundary.isToken ? boundary : "\"\(boundary)\""
        return ["Accept": "application/json", "Content-Type": "multipart/form-data; boundary=\(boundary)"]
    }

    /// What a request has that sends a form in parts and expects JSON, with a token as its authorization (RFC 6750).
    public static func multipart(boundary: String, bearerToken: String) -> HTTPHeaders {
        multipart(boundary: boundary).addingBearerToken(bearerToken)
    }

    private func addingBearerToken(_ token: String) -> HTTPHeaders {
        var headers = self
        headers.add("Authorization", "Bearer \(token)")
        return headers
    }
}
