/// A reader of the values and parameters of `-F`, by the rules of curl.
struct FormItemReader {
    private var rest: Substring
    /// The name of the part, for messages. The values may be secrets.
    private let name: String
    private let endsAtComma: Bool

    /// - Parameters:
    ///   - text: The text after the name, and after `@` or `<`.
    ///   - name: The name of the part.
    ///   - endsAtComma: Whether a comma separates items.
    init(_ text: Substring, of name: String, endsAtComma: Bool) {
        rest = text
        self.name = name
        self.endsAtComma = endsAtComma
    }

    /// Removes the comma after an item.
    ///
    /// - Returns: Whether there was one.
    mutating func skipComma() -> Bool {
        rest.popFirst() == ","
    }

    /// Reads a value and its parameters.
    mutating func readItem() throws(UsageError) -> (value: String, contentType: String?, filename: String?) {
        let value = try readValue()
        var contentType: String?
        var filename: String?
        // The start of the type, while unknown parameters such as `; charset=utf-8` belong to it.
        var typeStart: Substring.Index?
        while rest.first == ";" {
            rest.removeFirst()
            skipBlanks()
            if take("type=") {
                skipBlanks()
                typeStart = rest.startIndex
                contentType = readUnquoted()
            } else if take("filename=") {
                filename = try readValue()
                typeStart = nil
            } else if take("headers=") || take("encoder=") {
                throw UsageError("-F has neither ;headers= nor ;encoder=, which the part \(name.quoted) has")
            } else if let typeStart {
                _ = readUnquoted()
                contentType = Self.trimmed(rest.base[typeStart..<rest.startIndex])
            } else if !readUnquoted().isEmpty {
                throw UsageError(
                    "the part \(name.quoted) has an unknown parameter; put a value with ; in double quotes")
            }
        }
        guard [contentType, filename].allSatisfy({ $0?.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } != false }) else {
            throw UsageError("the part \(name.quoted) of the form has a control character in its type or filename")
        }
        return (value, contentType, filename)
    }

    /// Removes the name of a parameter, regardless of its case.
    private mutating func take(_ parameter: String) -> Bool {
        guard rest.prefix(parameter.count).lowercased() == parameter else { return false }
        rest = rest.dropFirst(parameter.count)
        return true
    }

    private mutating func skipBlanks() {
        rest = rest.drop { $0.isWhitespace }
    }

    private func isEnd(_ character: Character) -> Bool {
        character == ";" || (endsAtComma && character == ",")
    }

    private mutating func readValue() throws(UsageError) -> String {
        skipBlanks()
        guard let (value, end) = quotedValue() else { return readUnquoted() }
        rest = rest[end...]
        guard readUnquoted().isEmpty else {
            throw UsageError("the part \(name.quoted) of the form has text after a closing quote")
        }
        return value
    }

    /// Reads up to the next separator, without the blanks before it.
    private mutating func readUnquoted() -> String {
        let value = rest.prefix { !isEnd($0) }
        rest = rest[value.endIndex...]
        return Self.trimmed(value)
    }

    /// Returns a text without the blanks at its end.
    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    /// Returns the value in the quotes at the start, and the index after them; `nil` without a pair of quotes.
    private func quotedValue() -> (String, Substring.Index)? {
        guard rest.first == "\"" else { return nil }
        var value = ""
        var characters = rest.dropFirst()
        while let character = characters.popFirst() {
            let isEscape = character == "\\" && (characters.first == "\\" || characters.first == "\"")
            if character == "\"" { return (value, characters.startIndex) }
            value.append(isEscape ? characters.removeFirst() : character)
        }
        return nil
    }
}
