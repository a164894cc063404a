/// One part of a form.
struct FormArgument: Equatable {
    let name: String
    let source: ContentSource
    /// Whether the part is an uploaded file, with a filename and a media type.
    let isFile: Bool
    /// The media type of `;type=`.
    private(set) var contentType: String?
    /// The filename of `;filename=`.
    private(set) var filename: String?

    /// Creates a part of `-F`: `NAME=TEXT`, `NAME=@FILE` for an uploaded file, or `NAME=<FILE` for a text in a file.
    ///
    /// `;type=` and `;filename=` may follow. Each value may be in double quotes, in which `\` escapes the next
    /// character.
    init(_ argument: String) throws(UsageError) {
        var rest: Substring
        (name, rest) = try Self.split(argument)
        isFile = rest.first == "@"
        if isFile || rest.first == "<" {
            rest.removeFirst()
            source = ContentSource(path: try Self.takeValue(&rest))
        } else {
            source = .text(try Self.takeValue(&rest))
        }
        while !rest.isEmpty {
            if rest.hasPrefix(Self.type) {
                rest.removeFirst(Self.type.count)
                contentType = try Self.takeValue(&rest)
            } else {
                rest.removeFirst(Self.filename.count)
                filename = try Self.takeValue(&rest)
            }
        }
        guard [contentType, filename].allSatisfy({ $0?.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } != false }) else {
            throw UsageError("the part \(name.quoted) of the form has a control character in its type or filename")
        }
    }

    /// Creates a part of `--form-string`: `NAME=TEXT`, in which no character has a meaning.
    init(literal argument: String) throws(UsageError) {
        let text: Substring
        (name, text) = try Self.split(argument)
        source = .text(String(text))
        isFile = false
    }

    private static let type = ";type="
    private static let filename = ";filename="

    private static func split(_ argument: String) throws(UsageError) -> (String, Substring) {
        guard let end = argument.firstIndex(of: "=") else {
            // The argument is not shown: it may be a secret.
            throw UsageError("a part of a form has no equals sign; write NAME=TEXT, NAME=@FILE or NAME=<FILE")
        }
        return (String(argument[..<end]), argument[argument.index(after: end)...])
    }

    /// Removes the value at the start, up to the next parameter.
    private static func takeValue(_ rest: inout Substring) throws(UsageError) -> String {
        if let (value, end) = quotedValue(rest) {
            rest = rest[end...]
            guard rest.isEmpty || rest.hasPrefix(type) || rest.hasPrefix(filename) else {
                throw UsageError("a quoted value of a form is followed by neither ;type= nor ;filename=")
            }
            return value
        }
        let ends = [type, filename].compactMap { rest.firstRange(of: $0)?.lowerBound }
        let end = ends.min() ?? rest.endIndex
        defer { rest = rest[end...] }
        return String(rest[..<end])
    }

    /// Returns the value in the quotes at the start, and the index after them; `nil` without a pair of quotes.
    private static func quotedValue(_ text: Substring) -> (String, Substring.Index)? {
        guard text.first == "\"" else { return nil }
        var value = ""
        var isEscaped = false
        for index in text.indices.dropFirst() {
            switch text[index] {
            case _ where isEscaped:
                value.append(text[index])
                isEscaped = false
            case "\\": isEscaped = true
            case "\"": return (value, text.index(after: index))
            default: value.append(text[index])
            }
        }
        return nil
    }
}
