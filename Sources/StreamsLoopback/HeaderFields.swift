/// Header or trailer fields as they stand on the wire: in order, with duplicates, names in the case they were written.
///
/// A dictionary literal makes one, and keeps its order and its duplicates:
///
/// ```swift
/// let fields: HeaderFields = ["Set-Cookie": "a=1", "Set-Cookie": "b=2"]
/// ```
public struct HeaderFields: Sendable, Hashable {
    /// One field.
    public struct Field: Sendable, Hashable {
        /// The name, in the case it was written.
        public var name: String
        /// The value, without the white space around it.
        public var value: String

        /// A field as given; nothing is validated, so that a test can put anything on the wire.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private var fields: [Field] = []

    /// No fields.
    public init() {}

    /// The first value of the field called `name`, compared without regard to case.
    public subscript(_ name: String) -> String? {
        first { $0.isCalled(name) }?.value
    }

    /// All values of the field called `name`, in order, one for each line it had.
    public func values(of name: String) -> [String] {
        filter { $0.isCalled(name) }.map(\.value)
    }

    /// Adds a field behind the others.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Whether the field called `name` is a comma-separated list with this member, compared without regard to case
    /// (RFC 9110 section 5.6.1).
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

/// Text without the spaces and tabs around it.
func trimmed(_ text: Substring) -> Substring {
    let isPadding = { (character: Character) in character == " " || character == "\t" }
    guard let end = text.lastIndex(where: { !isPadding($0) }) else { return "" }
    return text[...end].drop(while: isPadding)
}
