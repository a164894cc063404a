import StreamsHTTP

/// An argument that is no option: a word of the command line, or the URL of `--url`.
struct Operand: Equatable {
    let text: String
    /// Whether the word can only be a URL, and neither a command nor a method.
    let isURL: Bool
}

extension Operand {
    /// Reads a word. Bytes of a URL that are not UTF-8 are percent-encoded, as curl sends them.
    init(_ word: FieldText) throws(UsageError) {
        // Only a URL has a slash.
        self.init(text: word.string.contains("/") ? word.urlText : try word.utf8("an argument"), isURL: false)
    }
}
