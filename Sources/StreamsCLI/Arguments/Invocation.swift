import StreamsHTTP

/// A task that the command line asks for.
enum Invocation {
    case tour
    case document(Document)
    /// The requests that `--next` separates.
    case request([RequestArguments])
    case feed(RequestArguments)
    case download(RequestArguments)
    case webSocket(RequestArguments)
}

extension Invocation {
    /// Reads a command line, without the program's name.
    ///
    /// Options may stand anywhere before `--`. One that asks for a document, such as `--help`, takes precedence over
    /// everything after it.
    init(_ words: some Sequence<FieldText>) throws(UsageError) {
        let line = Array(words)
        var words = line[...]
        guard !words.isEmpty else {
            self = .tour
            return
        }
        var reader = ArgumentReader()
        while let word = words.popFirst() {
            switch word.string {
            case "--":
                for word in words { reader.readOperand(word) }
                words = []
            case let text where text.hasPrefix("-") && text != "-":
                try reader.readOptions(word, values: &words)
                if let document = reader.document {
                    self = .document(document.of(Self.command(in: line)))
                    return
                }
            default:
                reader.readOperand(word)
            }
        }
        var requests = reader.requests
        if requests[0].operands == [Operand(text: "tour", isURL: false)] {
            guard requests[0].options.isEmpty else { throw UsageError("the tour takes no options") }
            self = .tour
            return
        }
        for index in requests.indices {
            requests[index].takeCommand()
            let command = requests[index].command
            guard requests.count == 1 || command == .request else { throw UsageError("\(command.name) has no --next") }
            try requests[index].takeURLs()
            try requests[index].complete()
        }
        try Self.checkSharedState(of: requests)
        try Self.openCookies(of: &requests)
        try Self.openCaches(of: &requests)
        switch requests[0].command {
        case .request:
            for request in requests { try request.checkTransfers() }
            self = .request(requests)
        case .tour: self = .tour
        case .feed: self = .feed(requests[0])
        case .download: self = .download(requests[0])
        case .webSocket: self = requests[0].webSocket.reconnects ? .feed(requests[0]) : .webSocket(requests[0])
        }
    }

    /// Returns the command that a line names, which need not be valid, and may name it after `--help`.
    private static func command(in line: [FieldText]) -> Command? {
        let words = line.map(\.string)
        let operand = ArgumentValue.all(in: words).first { $0.option == nil }
        return operand.flatMap { Command(word: words[$0.place]) }
    }

    private static func openCookies(of requests: inout [RequestArguments]) throws(UsageError) {
        var cookies = CookieArguments()
        for request in requests { try cookies.add(request.cookies) }
        try cookies.open(for: requests[0].url)
        for index in requests.indices where requests[index].cookies.areKept { requests[index].cookies = cookies }
    }

    /// Opens the folders of `--cache`, each once.
    private static func openCaches(of requests: inout [RequestArguments]) throws(UsageError) {
        for index in requests.indices {
            let path = requests[index].cache.path
            let opened = requests[..<index].lazy.map(\.cache).first { $0.path == path }?.responses
            try requests[index].cache.open(opened)
        }
    }

    /// Checks that requests by the environment's proxy have the same exceptions, which are those of the process, and that
    /// one request at most sends standard input, which can be read once.
    private static func checkSharedState(of requests: [RequestArguments]) throws(UsageError) {
        guard requests.count(where: { $0.body?.hasStandardInput == true }) <= 1 else {
            throw UsageError("standard input is the body of one request of --next")
        }
        guard Set(requests.filter { $0.proxy == nil }.map(\.proxyExceptions)).count <= 1 else {
            throw UsageError("--noproxy without -x is the same for all requests of --next")
        }
    }
}

extension Invocation {
    /// The requests; empty for none.
    var requests: [RequestArguments] {
        switch self {
        case .tour, .document: []
        case .request(let requests): requests
        case .feed(let arguments), .download(let arguments), .webSocket(let arguments): [arguments]
        }
    }

    /// The cookies to write at the end, which all requests have in common.
    var cookies: CookieArguments? {
        requests.lazy.map(\.cookies).first { $0.areKept }
    }
}
