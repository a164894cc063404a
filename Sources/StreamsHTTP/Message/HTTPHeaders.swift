/// Header fields: ordered, repeatable, found by case-insensitive name (RFC 9110, section 5).
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers.add("X-Api-Key", key, sensitive: true)
/// ```
///
/// Nothing is checked when a field is added. A name that is no token, or a value with a line break or another
/// control character, makes the request fail with ``HTTPError/InvalidRequest/header(name:)`` before a byte is sent.
public struct HTTPHeaders: Sendable {
    /// One field line.
    public struct Field: Hashable, Sendable {
        public var name: String
        public var value: String
        /// Whether the field carries a secret: it is left behind when a redirect leads to another origin, and is
        /// never shown. `Authorization`, `Cookie` and `Proxy-Authorization` always are.
        public var isSensitive: Bool

        public init(name: String, value: String, isSensitive: Bool = false) {
            self.name = name
            self.value = value
            self.isSensitive = isSensitive || Self.isAlwaysSensitive(name)
        }

        private static func isAlwaysSensitive(_ name: String) -> Bool {
            switch name.utf8.count {
            case 6: name.isEqualIgnoringASCIICase(to: "cookie")
            case 13: name.isEqualIgnoringASCIICase(to: "authorization")
            case 19: name.isEqualIgnoringASCIICase(to: "proxy-authorization")
            default: false
            }
        }
    }

    private(set) var fields: [Field]

    public init() {
        fields = []
    }

    public init(_ fields: some Sequence<Field>) {
        self.fields = Array(fields)
    }

    /// The first value under a name. Setting it replaces all values of that name, `nil` removes them.
    public subscript(name: String) -> String? {
        get { fields.first { $0.name.isEqualIgnoringASCIICase(to: name) }?.value }
        set {
            guard let newValue else { return remove(name) }
            set(name, newValue)
        }
    }

    /// Every value under a name, in order.
    public func values(for name: String) -> [String] {
        fields.filter { $0.name.isEqualIgnoringASCIICase(to: name) }.map(\.value)
    }

    public func contains(_ name: String) -> Bool {
        fields.contains { $0.name.isEqualIgnoringASCIICase(to: name) }
    }

    /// Appends a field; those of the same name stay.
    public mutating func add(_ name: String, _ value: String, sensitive: Bool = false) {
        fields.append(Field(name: name, value: value, isSensitive: sensitive))
    }

    /// Replaces every field of that name by one, in the place of the first.
    public mutating func set(_ name: String, _ value: String, sensitive: Bool = false) {
        let field = Field(name: name, value: value, isSensitive: sensitive)
        guard let place = fields.firstIndex(where: { $0.name.isEqualIgnoringASCIICase(to: name) }) else {
            return fields.append(field)
        }
        fields[place] = field
        let rest = fields.index(after: place)
        fields[rest...].removeAll { $0.name.isEqualIgnoringASCIICase(to: name) }
    }

    /// Removes every field of that name.
    public mutating func remove(_ name: String) {
        fields.removeAll { $0.name.isEqualIgnoringASCIICase(to: name) }
    }

    /// These headers, with `defaults` added for the names that are absent here.
    public func merging(defaults: HTTPHeaders) -> HTTPHeaders {
        guard !defaults.isEmpty else { return self }
        guard !isEmpty else { return defaults }
        var merged = self
        merged.fields.reserveCapacity(fields.count + defaults.fields.count)
        for field in defaults.fields where !contains(field.name) { merged.fields.append(field) }
        return merged
    }

    /// These headers without the fields that carry secrets.
    func removingSensitiveFields() -> HTTPHeaders {
        HTTPHeaders(fields.filter { !$0.isSensitive })
    }

    /// These headers without the fields that say something of the body, or of how it is sent (RFC 9110, sections 8,
    /// 10.1.1 and 15.4; RFC 9530).
    func removingBodyFields() -> HTTPHeaders {
        HTTPHeaders(
            fields.filter { field in
                let name = field.name.lowercased()
                return !name.hasPrefix("content-")
                    && !["expect", "last-modified", "digest", "repr-digest"].contains(name)
            })
    }

    /// Whether no two fields of a name differ.
    func isUnambiguous(_ name: String) -> Bool {
        guard let first = self[name] else { return true }
        return fields.allSatisfy { !$0.name.isEqualIgnoringASCIICase(to: name) || $0.value == first }
    }

    /// The name of the first field that may not go on the wire, if there is one (RFC 9110, section 5.5).
    var firstInvalidName: String? {
        fields.first { !$0.name.isToken || !$0.value.isFieldValue }?.name
    }
}

extension HTTPHeaders: RandomAccessCollection {
    public var startIndex: Int { fields.startIndex }
    public var endIndex: Int { fields.endIndex }
    public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Field(name: $0.0, value: $0.1) })
    }
}

extension HTTPHeaders: Hashable {
    /// Fields are equal when values agree and names agree but for case, in the same order.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        left.fields.elementsEqual(right.fields) {
            $0.value == $1.value && $0.name.isEqualIgnoringASCIICase(to: $1.name)
        }
    }

    public func hash(into hasher: inout Hasher) {
        for field in fields {
            hasher.combine(field.name.lowercased())
            hasher.combine(field.value)
        }
    }
}

extension HTTPHeaders: CustomStringConvertible {
    /// One line a field, with the values of sensitive fields hidden.
    public var description: String {
        fields.map { "\($0.name): \($0.isSensitive ? "<hidden>" : $0.value)" }.joined(separator: "\n")
    }
}

extension HTTPHeaders.Field: CustomStringConvertible {
    public var description: String { "\(name): \(isSensitive ? "<hidden>" : value)" }
}
