import StreamsHTTP

/// What the command line asks for.
enum Invocation {
    case tour
    case help
    case version
    case request(RequestArguments)
}

extension Invocation {
    /// Reads a command line, without the program's name.
    ///
    /// Options may stand anywhere before `--`. Asking for help or the version wins over everything behind it.
    init(_ words: some Sequence<String>) throws(UsageError) {
        var words = Array(words)[...]
        guard !words.isEmpty else {
            self = .tour
            return
        }
        var request = RequestArguments()
        var operands: [String] = []
        var hasOptions = false
        while let word = words.popFirst() {
            switch word {
            case "--":
                operands += words
                words = []
            case "-h", "--help":
                self = .help
                return
            case "--version":
                self = .version
                return
            case _ where word.hasPrefix("-") && word != "-":
                hasOptions = true
                try request.applyOption(word, values: &words)
            default:
                operands.append(word)
            }
        }
        if operands == ["tour"] {
            guard !hasOptions else { throw UsageError("the tour takes no options") }
            self = .tour
            return
        }
        try request.take(operands)
        try request.markSensitiveHeaders()
        self = .request(request)
    }
}

/// A command line that makes no sense, in one line.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
