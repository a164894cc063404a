/// Header or trailer fields as on the wire: in order, with duplicates, and with names in their original case.
///
/// A dictionary literal keeps its order and its duplicates:
///
/// ```swift
/// let fields: HeaderFields = ["Set-Cookie": "a=1", "Set-Cookie": "b=2"]
/// ```
public struct HeaderFields: Sendable, Hashable {
    /// One field.
    public struct Field: Sendable, Hashable {
        /// The name, in its original case.
        public var name: String
        /// The value, without the white space around it.
        public var value: String

        /// Creates a field. Nothing is validated, so that a test can send anything.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private var fields: [Field] = []

    /// Creates an empty list of fields.
    public init() {}

    /// The first value of a name, compared without regard to case.
    public subscript(_ name: String) -> String? {
        first { $0.isCalled(name) }?.value
    }

    /// Returns all values of a name, in order, one for each line.
    public func values(of name: String) -> [String] {
        filter { $0.isCalled(name) }.map(\.value)
    }

    /// Appends a field.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
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

/// Returns a text without the spaces and tabs around it.
func trimmed(_ text: Substring) -> Substring {
    // A space with a combining mark is another character.
    let isPadding = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
    let scalars = text.unicodeScalars
    guard let end = scalars.lastIndex(where: { !isPadding($0) }) else { return "" }
    return Substring(scalars[...end].drop(while: isPadding))
}
