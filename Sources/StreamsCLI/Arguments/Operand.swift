import StreamsHTTP

/// An argument that is no option: a word of the command line, or the URL of `--url`.
struct Operand: Equatable {
    let text: String
    /// Whether the word can only be a URL, and neither a command nor a method.
    let isURL: Bool
}

extension Operand {
    /// Reads a word. Bytes of a URL that are not UTF-8 are percent-encoded, as curl sends them.
    init(_ word: FieldText) {
        self.init(text: word.urlText, isURL: false)
    }

    /// Whether the word is a method if URLs follow it: it consists of upper-case letters and dashes, as those of all
    /// registered methods do. Hosts are usually written in lower case.
    var isMethod: Bool {
        let isUpperCase: (UInt8) -> Bool = { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        return !isURL && text.utf8.first.map(isUpperCase) ?? false
            && text.utf8.allSatisfy { isUpperCase($0) || $0 == UInt8(ascii: "-") }
    }
}
