/// An ordered list of header fields. Names are case-insensitive and may repeat (RFC 9110, section 5).
///
/// ```swift
/// var headers: HTTPHeaders = [.accept: "application/json"]
/// headers.add("X-Api-Key", key, isSensitive: true)
/// ```
///
/// Fields are not checked when they are added. A name that is not a token, or a value with a line break or another
/// control character, fails the request with ``HTTPError/InvalidRequest/headerName`` or
/// ``HTTPError/InvalidRequest/headerValue`` before anything is sent.
///
/// The values of fields are bytes, which need not be UTF-8 (RFC 9110, section 5.5). The text of others is that of
/// ISO-8859-1, and only a view: a field keeps the bytes that came. Copy the field or its bytes to send them back, since
/// a text is sent as UTF-8:
///
/// ```swift
/// request.headers[bytes: "If-Match"] = response.headers[bytes: "ETag"]
/// ```
public struct HTTPHeaders: Sendable {
    /// A header field. Fields are equal if the bytes of their values are equal and their names differ in case at most.
    /// Sensitivity is not compared.
    public struct Field: Sendable {
        /// The case-insensitive name.
        public var name: String
        /// The value with its bytes.
        package var text: FieldText
        /// Whether the field was marked as sensitive.
        fileprivate var isMarked: Bool

        /// Creates a field.
        public init(name: String, value: String, isSensitive: Bool = false) {
            self.init(name: name, text: FieldText(value), isSensitive: isSensitive)
        }

        /// Creates a field of bytes, which need not be UTF-8.
        public init(name: String, bytes: some Collection<UInt8>, isSensitive: Bool = false) {
            self.init(name: name, text: FieldText(bytes: bytes), isSensitive: isSensitive)
        }

        package init(name: String, text: FieldText, isSensitive: Bool = false) {
            self.name = name
            self.text = text
            isMarked = isSensitive
        }

        /// The value as text: that of ISO-8859-1 if the bytes are not valid UTF-8. A value that is set is sent as UTF-8.
        public var value: String {
            get { text.string }
            set { text = FieldText(newValue) }
        }

        /// The bytes of the value, as they are sent, or as they came.
        public var bytes: [UInt8] {
            get { text.bytes }
            set { text = FieldText(bytes: newValue) }
        }

        /// Whether the field carries a secret. A sensitive field is removed when a redirect leads to another origin,
        /// unless both origins are the client's (``HTTPClient/Configuration/credentialOrigins``). Descriptions and
        /// mirrors hide its value. Fields with a usual name or word of ``Redaction`` are always sensitive, even if this
        /// is set to `false`: `Authorization`, `Cookie`, `Proxy-Authorization`, `Set-Cookie`, and the names of keys and
        /// tokens, such as `X-API-Key` and `X-Shopify-Access-Token`.
        public var isSensitive: Bool {
            get { isMarked || Redaction.usual.isSecret(name) }
            set { isMarked = newValue }
        }
    }

    private(set) var fields: [Field]

    /// Creates headers without fields.
    public init() {
        fields = []
    }

    /// Creates headers of fields, in their order. A name may repeat.
    public init(_ fields: some Sequence<Field>) {
        self.fields = Array(fields)
    }

    /// The first value of a name. Setting it replaces all fields of that name with one. Setting `nil` removes them.
    public subscript(name: String) -> String? {
        get { text(for: name)?.string }
        set {
            guard let newValue else { return remove(name) }
            set(name, newValue)
        }
    }

    /// The bytes of the first value of a name. Setting them replaces all fields of that name with one. Setting `nil`
    /// removes them.
    public subscript(bytes name: String) -> [UInt8]? {
        get { text(for: name)?.bytes }
        set {
            guard let newValue else { return remove(name) }
            set(Field(name: name, bytes: newValue))
        }
    }

    /// Returns the first value of a name, with its bytes.
    package func text(for name: String) -> FieldText? {
        fields.first { $0.name.isEqualIgnoringASCIICase(to: name) }?.text
    }

    /// Returns all values of a name with their bytes, in order.
    func texts(for name: String) -> [FieldText] {
        fields.filter { $0.name.isEqualIgnoringASCIICase(to: name) }.map(\.text)
    }

    /// Returns all values of a name, in order.
    public func values(for name: String) -> [String] {
        fields.filter { $0.name.isEqualIgnoringASCIICase(to: name) }.map(\.value)
    }

    /// Returns the value of the fields of a name; `nil` if there is none, or if their values differ.
    func unanimousValue(for name: String) -> FieldText? {
        let values = texts(for: name)
        return values.dropFirst().allSatisfy { $0 == values.first } ? values.first : nil
    }

    /// Returns whether a field has a name.
    public func contains(_ name: String) -> Bool {
        fields.contains { $0.name.isEqualIgnoringASCIICase(to: name) }
    }

    /// Appends a field. Fields with the same name are kept.
    public mutating func add(_ name: String, _ value: String, isSensitive: Bool = false) {
        add(Field(name: name, value: value, isSensitive: isSensitive))
    }

    /// Appends a field. Fields with the same name are kept.
    public mutating func add(_ field: Field) {
        fields.append(field)
    }

    /// Replaces all fields of a name with one, at the position of the first.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: The field's value.
    ///   - isSensitive: Whether the field carries a secret. It is also marked if a replaced field was;
    ///     ``remove(_:)-(String)`` clears the mark.
    public mutating func set(_ name: String, _ value: String, isSensitive: Bool = false) {
        set(Field(name: name, value: value, isSensitive: isSensitive))
    }

    /// Replaces all fields of a field's name with it, at the position of the first. The field is also marked as
    /// sensitive if a replaced one was.
    public mutating func set(_ field: Field) {
        let name = field.name
        guard let place = fields.firstIndex(where: { $0.name.isEqualIgnoringASCIICase(to: name) }) else {
            return add(field)
        }
        var field = field
        // In other capitals, the name may have other words.
        field.isMarked = field.isMarked || fields[place].isSensitive
        fields[fields.index(after: place)...].removeAll { other in
            guard other.name.isEqualIgnoringASCIICase(to: name) else { return false }
            field.isMarked = field.isMarked || other.isSensitive
            return true
        }
        fields[place] = field
    }

    /// Removes all fields of a name.
    public mutating func remove(_ name: String) {
        fields.removeAll { $0.name.isEqualIgnoringASCIICase(to: name) }
    }

    /// Returns these headers, with `defaults` added for absent names. Names that are marked as sensitive in the
    /// defaults are marked in the result.
    public func merging(defaults: HTTPHeaders) -> HTTPHeaders {
        guard !defaults.isEmpty else { return self }
        guard !isEmpty else { return defaults }
        var merged = self
        merged.fields.reserveCapacity(fields.count + defaults.fields.count)
        for field in defaults.fields {
            if !contains(field.name) { merged.fields.append(field) } else if field.isMarked { merged.mark(field.name) }
        }
        return merged
    }

    /// Marks the fields of a name as sensitive.
    private mutating func mark(_ name: String) {
        for place in fields.indices where fields[place].name.isEqualIgnoringASCIICase(to: name) {
            fields[place].isMarked = true
        }
    }

    /// Returns these headers without the sensitive fields, except for those that other headers have too.
    func removingSensitiveFields(except kept: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(fields.filter { !$0.isSensitive || kept.contains($0) })
    }

    /// Returns these headers without the fields that describe the body or how it is sent (RFC 9110, sections 8, 10.1.1
    /// and 15.4; RFC 9530).
    func removingBodyFields() -> HTTPHeaders {
        HTTPHeaders(
            fields.filter { field in
                let name = field.name.lowercased()
                return !name.hasPrefix("content-")
                    && !["expect", "last-modified", "digest", "repr-digest"].contains(name)
            })
    }

    /// The name of the first invalid field; `nil` if all are valid (RFC 9110, section 5.5).
    var firstInvalidName: String? {
        fields.first { !$0.name.isToken || !$0.text.string.isFieldValue }?.name
    }
}

extension HTTPHeaders: RandomAccessCollection {
    public var startIndex: Int { fields.startIndex }
    public var endIndex: Int { fields.endIndex }
    public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (Name, String)...) {
        self.init(elements.map { Field(name: $0.0.rawValue, value: $0.1) })
    }
}

extension HTTPHeaders: Hashable {
    /// Returns whether the fields are equal, in the same order.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        left.fields == right.fields
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(fields)
    }
}

extension HTTPHeaders.Field: Hashable {
    public static func == (left: HTTPHeaders.Field, right: HTTPHeaders.Field) -> Bool {
        left.text == right.text && left.name.isEqualIgnoringASCIICase(to: right.name)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name.lowercased())
        hasher.combine(text)
    }
}

extension HTTPHeaders: CustomStringConvertible, CustomReflectable {
    /// The fields, one per line, with secret values hidden and control characters escaped.
    public var description: String { fields.map(\.description).joined(separator: "\n") }

    /// The fields, with secret values hidden.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: fields, displayStyle: .collection) }
}

extension HTTPHeaders.Field: CustomStringConvertible, CustomReflectable {
    /// The field as a line, with a secret value hidden and control characters escaped.
    public var description: String { line(.usual) }

    /// The properties, with a secret value hidden.
    public var customMirror: Mirror {
        let value = Redaction.usual.redactedValue(of: self).printable
        return Mirror(self, children: ["name": name.printable, "value": value, "isSensitive": isSensitive])
    }
}

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

extension HTTPHeaders {
    /// Returns whether a field that is a list has an element, ignoring its case.
    func hasListElement(_ element: String, of name: String) -> Bool {
        fields.contains { field in
            guard field.name.isEqualIgnoringASCIICase(to: name) else { return false }
            // Most lists have one element, for which nothing needs to be split.
            guard field.value.utf8.contains(where: { ", \t".utf8.contains($0) }) else {
                return field.value.isEqualIgnoringASCIICase(to: element)
            }
            return field.value.listElements.contains { $0.isEqualIgnoringASCIICase(to: element) }
        }
    }

    /// Returns the elements of a field that is a list.
    func listElements(of name: String) -> [String] {
        values(for: name).flatMap(\.listElements)
    }
}

extension String {
    /// The elements of a list, without empty ones (RFC 9110, section 5.6.1).
    fileprivate var listElements: [String] {
        split(separator: ",").map { String(String($0).trimmingOptionalWhitespace) }.filter { !$0.isEmpty }
    }
}
