/// Header or trailer fields as on the wire: in order, with duplicates, and with names in their original case.
///
/// A dictionary literal keeps its order and its duplicates:
///
/// ```swift
/// let fields: HeaderFields = ["Set-Cookie": "a=1", "Set-Cookie": "b=2"]
/// ```
///
/// Values are bytes, which need not be UTF-8. The text of others is that of ISO 8859-1.
public struct HeaderFields: Sendable, Hashable {
    /// One field.
    public struct Field: Sendable, Hashable {
        /// The name, in its original case.
        public var name: String
        /// The bytes of the value, without the white space around it.
        public var bytes: [UInt8]

        /// Creates a field. Nothing is validated, so that a test can send anything.
        public init(name: String, value: String) {
            self.init(name: name, bytes: value.utf8)
        }

        /// Creates a field of bytes.
        public init(name: String, bytes: some Sequence<UInt8>) {
            self.name = name
            self.bytes = Array(bytes)
        }

        /// The value as text, without the white space around it.
        public var value: String {
            get { decoded(bytes) }
            set { bytes = Array(newValue.utf8) }
        }
    }

    private var fields: [Field] = []

    /// Creates an empty list of fields.
    public init() {}

    /// Creates a list of fields.
    public init(_ fields: some Sequence<Field>) {
        self.fields = Array(fields)
    }

    /// The first value of a name, compared without regard to case.
    public subscript(_ name: String) -> String? {
        first { $0.isCalled(name) }?.value
    }

    /// The bytes of the first value of a name, compared without regard to case.
    public subscript(bytes name: String) -> [UInt8]? {
        first { $0.isCalled(name) }?.bytes
    }

    /// Returns all values of a name, in order, one for each line.
    public func values(of name: String) -> [String] {
        filter { $0.isCalled(name) }.map(\.value)
    }

    /// Appends a field.
    public mutating func append(_ name: String, _ value: String) {
        append(Field(name: name, value: value))
    }

    /// Appends a field.
    public mutating func append(_ field: Field) {
        fields.append(field)
    }

    /// Returns whether the comma-separated list of a name has a member, compared without regard to case (RFC 9110
    /// section 5.6.1).
    func list(_ name: String, contains member: String) -> Bool {
        let wanted = member.lowercased()
        return values(of: name).contains { value in
            value.split(separator: ",").contains { trimmed($0).lowercased() == wanted }
        }
    }
}

extension HeaderFields: RandomAccessCollection {
    public var startIndex: Int { fields.startIndex }
    public var endIndex: Int { fields.endIndex }
    public subscript(position: Int) -> Field { fields[position] }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }
}

extension HeaderFields: CustomStringConvertible {
    public var description: String {
        map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
}

extension HeaderFields.Field {
    fileprivate func isCalled(_ other: String) -> Bool {
        name == other || name.lowercased() == other.lowercased()
    }
}

/// Decodes bytes as UTF-8 if they are valid, otherwise as ISO 8859-1, so that none is lost.
func decoded(_ bytes: some Collection<UInt8>) -> String {
    String(validating: bytes, as: UTF8.self) ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
}

/// Returns a text without the spaces and tabs around it.
func trimmed(_ text: Substring) -> Substring {
    // A space with a combining mark is another character.
    let isPadding = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
    let scalars = text.unicodeScalars
    guard let end = scalars.lastIndex(where: { !isPadding($0) }) else { return "" }
    return Substring(scalars[...end].drop(while: isPadding))
}
