import StreamsHTTP

/// A task that the command line asks for.
enum Invocation {
    case tour
    case help
    case version
    case request(RequestArguments)
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
        var hasOptions = false
        while let word = words.popFirst() {
            switch word.string {
            case "--":
                for word in words { request.operands.append(try Operand(word)) }
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
                request.operands.append(try Operand(word))
            }
        }
        if request.operands == [Operand(text: "tour", isURL: false)] {
            guard !hasOptions else { throw UsageError("the tour takes no options") }
            self = .tour
            return
        }
        request.takeCommand()
        try request.takeURLs()
        try request.complete()
        switch request.command {
        case .request:
            try request.checkTransfers()
            self = .request(request)
        case .feed: self = .feed(request)
        case .download: self = .download(request)
        case .webSocket: self = request.webSocket.reconnects ? .feed(request) : .webSocket(request)
        }
    }
}

extension Invocation {
    /// The cookies to write at the end.
    var cookies: CookieArguments? {
        switch self {
        case .tour, .help, .version: nil
        case .request(let arguments), .feed(let arguments), .download(let arguments), .webSocket(let arguments):
            arguments.cookies
        }
    }
}

/// An error of the command line, described in one line.
struct UsageError: Error, CustomStringConvertible {
    let description: String
    let status: ExitStatus

    init(_ description: String, status: ExitStatus = .usage) {
        self.description = description
        self.status = status
    }
}
