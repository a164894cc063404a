import StreamsHTTP

/// The body of a request as the command line describes it.
enum BodyArguments: Equatable {
    /// The pieces of `-d`, `--data-binary` and `--data-urlencode`, which are joined with `&`.
    case data([DataArgument])
    /// The pieces of `--json`, which are joined without a separator.
    case json([ContentSource])
    /// The parts of `-F`.
    case form([FormArgument])
    /// The content of `-T`.
    case upload(ContentSource)

    var hasStandardInput: Bool {
        switch self {
        case .data(let pieces): pieces.contains { $0.source == .standardInput }
        case .json(let pieces): pieces.contains(.standardInput)
        case .form(let parts): parts.contains { $0.items.contains { $0.source == .standardInput } }
        case .upload(let source): source == .standardInput
        }
    }

    /// The media type that is sent unless a header sets another; the same as curl's. The one of a form depends on its
    /// boundary.
    var contentType: String? {
        switch self {
        case .data: "application/x-www-form-urlencoded"
        case .json: "application/json"
        case .form, .upload: nil
        }
    }
}

/// One piece of data for a form or a query.
struct DataArgument: Equatable {
    var source: ContentSource
    /// Whether the content is percent-encoded.
    var isEncoded = false
    /// Whether CR, LF and NUL are removed from the content.
    var isStripped = false
    /// The name in front of the content; `nil` for the content alone.
    var name: FieldText?

    /// Creates a piece of `--data-binary`, which is sent unchanged: `TEXT`, `@FILE` or `@-`.
    init(binary argument: FieldText) throws(UsageError) {
        source = try ContentSource(argument: argument)
    }

    /// Creates a piece of `-d`: the same, but of a file or standard input, the ends of the lines are not sent.
    init(_ argument: FieldText) throws(UsageError) {
        try self.init(binary: argument)
        isStripped = argument.string.hasPrefix("@")
    }

    /// Creates a piece that is sent unchanged, even if it begins with `@`.
    init(raw text: FieldText) {
        source = .text(text)
    }

    /// Creates a piece of `--data-urlencode`: `TEXT`, `=TEXT`, `NAME=TEXT`, `@FILE` or `NAME@FILE`. Names are not
    /// encoded.
    init(encoding argument: FieldText) throws(UsageError) {
        isEncoded = true
        let text = argument.string
        guard let end = text.firstIndex(where: { $0 == "=" || $0 == "@" }) else {
            source = .text(argument)
            return
        }
        let content = FieldText(text[text.index(after: end)...], of: argument)
        source = text[end] == "@" ? try ContentSource(path: content) : .text(content)
        if end > text.startIndex { name = FieldText(text[..<end], of: argument) }
    }
}
