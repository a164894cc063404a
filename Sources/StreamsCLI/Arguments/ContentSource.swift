import StreamsHTTP

/// The source of a body, or of a piece of one.
enum ContentSource: Equatable {
    case text(FieldText)
    /// Content that was read before.
    case content(Data)
    case file(path: String)
    case standardInput

    /// Creates the source of an argument: `TEXT`, `@FILE`, or `@-` for standard input.
    init(argument: FieldText) throws(UsageError) {
        let text = argument.string
        self =
            text.hasPrefix("@") ? try ContentSource(path: FieldText(text.dropFirst(), of: argument)) : .text(argument)
    }

    /// Creates the source of a path, where `-` is standard input.
    init(path: FieldText) throws(UsageError) {
        self.init(path: try path.utf8("the name of a file"))
    }

    /// Creates the source of a path, where `-` is standard input.
    init(path: String) {
        self = path == "-" ? .standardInput : .file(path: path)
    }

    /// Returns the whole content.
    func read() throws(SystemError) -> Data {
        switch self {
        case .text(let text): return Data(text.bytes)
        case .content(let content): return content
        case .standardInput: return try InputChunks.standardInput.readAll()
        case .file(let path): return try InputChunks(opening: path).readAll()
        }
    }
}
