/// What `-d` or `--json` says of a body: `TEXT`, `@FILE`, or `@-` for standard input.
struct BodyArgument: Equatable {
    enum Source: Equatable {
        case text(String)
        case file(path: String)
        case standardInput
    }

    let source: Source
    let isJSON: Bool

    init(_ text: String, isJSON: Bool) {
        self.isJSON = isJSON
        switch text {
        case "@-": source = .standardInput
        case _ where text.hasPrefix("@"): source = .file(path: String(text.dropFirst()))
        default: source = .text(text)
        }
    }

    /// What the body is taken for unless a header says otherwise; the same as with curl.
    var contentType: String {
        isJSON ? "application/json" : "application/x-www-form-urlencoded"
    }
}
