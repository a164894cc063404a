import StreamsHTTP

/// One part of a form.
struct FormArgument: Equatable {
    /// The content of a part, or one of its files.
    struct Item: Equatable {
        var source: ContentSource
        /// The media type of `;type=`.
        fileprivate(set) var contentType: String?
        /// The filename of `;filename=`.
        fileprivate(set) var filename: String?
        /// The path of the file as it was written; `-` for standard input.
        fileprivate(set) var path = ""
    }

    let name: String
    /// The content: one text, or one or more files.
    var items: [Item]
    /// Whether the items are uploaded files, with a filename and a media type.
    let isFile: Bool

    /// Creates a part of `-F`: `NAME=TEXT`, `NAME=@FILE,FILE` for uploaded files, or `NAME=<FILE` for a text in a file.
    ///
    /// `;type=` and `;filename=` may follow. Each value may be in double quotes, in which `\` escapes a quote or another
    /// `\`. What else curl reads is refused.
    init(_ argument: FieldText) throws(UsageError) {
        let text: Substring
        (name, text) = try Self.split(argument)
        isFile = text.hasPrefix("@")
        let isPath = isFile || text.hasPrefix("<")
        guard !text.hasPrefix("("), !name.isEmpty || !text.hasPrefix(")") else {
            throw UsageError(
                "-F has no parts inside of parts; --form-string sends a text that begins with a parenthesis")
        }
        var reader = FormItemReader(isPath ? text.dropFirst() : text, of: name, endsAtComma: isFile)
        items = []
        repeat {
            let (value, contentType, filename) = try reader.readItem()
            let content = FieldText(value[...], of: argument)
            let path = isPath ? try content.utf8("the name of a file") : ""
            items.append(
                Item(
                    source: isPath ? ContentSource(path: path) : .text(content),
                    contentType: try Self.text(contentType, of: argument),
                    filename: try Self.text(filename, of: argument), path: path))
        } while reader.skipComma()
    }

    /// Creates a part of `--form-string`: `NAME=TEXT`, in which no character has a meaning.
    init(literal argument: FieldText) throws(UsageError) {
        let text: Substring
        (name, text) = try Self.split(argument)
        items = [Item(source: .text(FieldText(text, of: argument)))]
        isFile = false
    }

    /// Returns a part of an argument that goes into a field of the form, which is text.
    private static func text(_ part: String?, of argument: FieldText) throws(UsageError) -> String? {
        guard let part else { return nil }
        return try FieldText(part[...], of: argument).utf8("a name or a type of a form")
    }

    private static func split(_ argument: FieldText) throws(UsageError) -> (String, Substring) {
        let text = argument.string
        guard let end = text.firstIndex(of: "=") else {
            // The argument is not shown: it may be a secret.
            throw UsageError("a part of a form has no equals sign; write NAME=TEXT, NAME=@FILE or NAME=<FILE")
        }
        let name = try FieldText(text[..<end], of: argument).utf8("a name of a form")
        return (name, text[text.index(after: end)...])
    }
}
