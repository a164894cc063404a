import StreamsHTTP

/// The option of a line in a file of `-K`, which has the grammar of curl's.
struct ConfigurationOption {
    /// The name, with its dashes.
    let name: String
    /// The value; `nil` if there is none.
    let value: FieldText?

    /// Reads a line: `NAME VALUE`, `NAME = VALUE` or `NAME: VALUE` with the long name of an option, or an option with its
    /// dashes and a value after blanks. A value with blanks is in quotes, in which `\t`, `\n`, `\r` and `\v` are control
    /// characters, and any other character after a backslash is itself.
    ///
    /// `nil` for an empty line, and for a comment: `#` and what follows.
    init?(line: Data) throws(UsageError) {
        guard !line.contains(0) else { throw UsageError("the line is no text") }
        var rest = line
        rest.trimBlanks()
        guard let first = rest.first, first != UInt8(ascii: "#") else { return nil }
        let isDashed = first == UInt8(ascii: "-")
        func separates(_ byte: UInt8) -> Bool {
            byte.isBlank || !isDashed && (byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":"))
        }
        let word = rest.prefix { !separates($0) }
        name = (isDashed ? "" : "--") + String(decoding: word, as: UTF8.self)
        rest = rest[word.endIndex...].drop(while: separates)
        // Behind an option that takes a value, it is the value, as with curl: `output = #1`.
        let isComment = rest.first == UInt8(ascii: "#") && Option(name: name)?.takesValue != true
        guard let first = rest.first, !isComment else {
            value = nil
            return
        }
        if first == UInt8(ascii: "\"") {
            value = try rest.popQuoted()
        } else {
            let word = rest.prefix { !$0.isBlank }
            value = FieldText(bytes: word)
            rest = rest[word.endIndex...]
        }
        rest.trimBlanks()
        // curl ignores the rest with a warning, or none.
        guard rest.isEmpty || rest.first == UInt8(ascii: "#") else {
            throw UsageError("text follows the value of \(name); a value with blanks is in quotes")
        }
    }
}

extension Data {
    fileprivate mutating func trimBlanks() {
        self = drop(while: \.isBlank)
    }

    /// Removes a text in quotes from the start, and returns what it stands for.
    fileprivate mutating func popQuoted() throws(UsageError) -> FieldText {
        removeFirst()
        var text: [UInt8] = []
        while let byte = popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                return FieldText(bytes: text)
            case UInt8(ascii: "\\"):
                guard let escaped = popFirst() else { break }
                text.append(escaped.escaped)
            default:
                text.append(byte)
            }
        }
        throw UsageError("a quote is not closed")
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool {
        self == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains(self)
    }

    /// The character that this one stands for after a backslash.
    fileprivate var escaped: UInt8 {
        switch self {
        case UInt8(ascii: "t"): UInt8(ascii: "\t")
        case UInt8(ascii: "n"): UInt8(ascii: "\n")
        case UInt8(ascii: "r"): UInt8(ascii: "\r")
        case UInt8(ascii: "v"): 0x0B
        default: self
        }
    }
}
