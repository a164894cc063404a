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
    /// One field line. Fields are equal when values agree and names agree but for case, sensitive or not.
    public struct Field: Sendable {
        /// The name, found regardless of case.
        public var name: String
        /// The value, as it goes on the wire.
        public var value: String
        /// Whether somebody said that the field carries a secret.
        fileprivate var isMarked: Bool

        /// Makes a field.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - value: The value.
        ///   - isSensitive: Whether the field carries a secret; see ``isSensitive``.
        public init(name: String, value: String, isSensitive: Bool = false) {
            self.name = name
            self.value = value
            isMarked = isSensitive
        }

        /// Whether the field carries a secret: it is left behind when a redirect leads to another origin, and is
        /// never shown. `Authorization`, `Cookie`, `Proxy-Authorization` and `Set-Cookie` always do.
        public var isSensitive: Bool {
            get { isMarked || isAlwaysSensitive }
            set { isMarked = newValue }
        }

        private var isAlwaysSensitive: Bool {
            switch name.utf8.count {
            case 6: name.isEqualIgnoringASCIICase(to: "cookie")
            case 10: name.isEqualIgnoringASCIICase(to: "set-cookie")
            case 13: name.isEqualIgnoringASCIICase(to: "authorization")
            case 19: name.isEqualIgnoringASCIICase(to: "proxy-authorization")
            default: false
            }
        }
    }

    private(set) var fields: [Field]

    /// Makes headers without fields.
    public init() {
        fields = []
    }

    /// Makes headers of fields, in their order; a name may repeat.
    public init(_ fields: some Sequence<Field>) {
        self.fields = Array(fields)
    }

    /// The first value under a name. Setting it replaces all values of that name as ``set(_:_:sensitive:)`` does, `nil`
    /// removes them.
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

    /// Whether there is a field of that name.
    public func contains(_ name: String) -> Bool {
        fields.contains { $0.name.isEqualIgnoringASCIICase(to: name) }
    }

    /// Appends a field; those of the same name stay.
    public mutating func add(_ name: String, _ value: String, sensitive: Bool = false) {
        fields.append(Field(name: name, value: value, isSensitive: sensitive))
    }

    /// Replaces every field of that name by one, in the place of the first.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    ///   - sensitive: Whether it is a secret. It is one in any case where a field that it replaces was marked as one;
    ///     ``remove(_:)`` before takes the mark away.
    public mutating func set(_ name: String, _ value: String, sensitive: Bool = false) {
        guard let place = fields.firstIndex(where: { $0.name.isEqualIgnoringASCIICase(to: name) }) else {
            return add(name, value, sensitive: sensitive)
        }
        var isMarked = sensitive || fields[place].isMarked
        fields[fields.index(after: place)...].removeAll { field in
            guard field.name.isEqualIgnoringASCIICase(to: name) else { return false }
            isMarked = isMarked || field.isMarked
            return true
        }
        fields[place] = Field(name: name, value: value, isSensitive: isMarked)
    }

    /// Removes every field of that name.
    public mutating func remove(_ name: String) {
        fields.removeAll { $0.name.isEqualIgnoringASCIICase(to: name) }
    }

    /// These headers, with `defaults` added for the names that are absent here. What is marked as sensitive in the
    /// defaults is so here too, whoever gives its value.
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
    /// Headers are equal when their fields are, in the same order.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        left.fields == right.fields
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(fields)
    }
}

extension HTTPHeaders.Field: Hashable {
    public static func == (left: HTTPHeaders.Field, right: HTTPHeaders.Field) -> Bool {
        left.value == right.value && left.name.isEqualIgnoringASCIICase(to: right.name)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name.lowercased())
        hasher.combine(value)
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
