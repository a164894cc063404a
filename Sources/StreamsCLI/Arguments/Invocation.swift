import StreamsHTTP

/// A task that the command line asks for.
enum Invocation {
    case tour
    case help
    case version
    /// The requests of the URLs, in their order.
    case request([RequestArguments])
    case feed(RequestArguments)
    case download(RequestArguments)
    case webSocket(RequestArguments)
}

extension Invocation {
    /// Reads a command line, without the program's name.
    ///
    /// Options may stand anywhere before `--`. `--help` and `--version` take precedence over everything after them.
    init(_ words: some Sequence<FieldText>) throws(UsageError) {
        var words = Array(words)[...]
        guard !words.isEmpty else {
            self = .tour
            return
        }
        var request = RequestArguments()
        var operands: [String] = []
        var hasOptions = false
        while let word = words.popFirst() {
            switch word.string {
            case "--":
                for word in words { operands.append(try Self.operand(word)) }
                words = []
            case "-h", "--help":
                self = .help
                return
            case "--version":
                self = .version
                return
            case let text where text.hasPrefix("-") && text != "-":
                hasOptions = true
                try request.applyOptions(word, values: &words)
            default:
                operands.append(try Self.operand(word))
            }
        }
        if operands == ["tour"] {
            guard !hasOptions else { throw UsageError("the tour takes no options") }
            self = .tour
            return
        }
        if let kind = operands.first.flatMap(FeedArguments.Kind.init) {
            request.feed.kind = kind
            operands.removeFirst()
        }
        if operands.first == "ws" {
            request.webSocket.isWanted = true
            operands.removeFirst()
        }
        if operands.first == "download" {
            request.download.isWanted = true
            request.urls = Array(operands.dropFirst())
        } else {
            try request.take(operands)
        }
        try request.complete()
        guard !request.webSocket.isWanted else {
            self = request.webSocket.reconnects ? .feed(request) : .webSocket(request)
            return
        }
        guard !request.download.isWanted else {
            self = .download(request)
            return
        }
        self = request.feed.kind == nil ? .request(try request.transfers()) : .feed(request)
    }

    /// Returns a word that is no option. Bytes of a URL that are not UTF-8 are percent-encoded, as curl sends them.
    private static func operand(_ word: FieldText) throws(UsageError) -> String {
        // Only a URL has a slash.
        word.string.contains("/") ? word.urlText : try word.utf8("an argument")
    }
}

extension Invocation {
    /// The cookies to write at the end.
    var cookies: CookieArguments? {
        switch self {
        case .tour, .help, .version: nil
        case .request(let transfers): transfers.first?.cookies
        case .feed(let arguments), .download(let arguments), .webSocket(let arguments): arguments.cookies
        }
    }
}

/// An error of the command line, described in one line.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
