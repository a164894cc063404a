import StreamsHTTP

/// The options of a request.
private enum Option: String, CaseIterable {
    case header = "-H"
    case sensitive = "--sensitive"
    case data = "-d"
    case json = "--json"
    case output = "-o"
    case retry = "--retry"
    case timeout = "--timeout"
    case maxTime = "--max-time"
    case connectTimeout = "--connect-timeout"
    case maxBytes = "--max-bytes"
    case maxRedirects = "--max-redirects"
    case trustFile = "--cacert"
    case insecure = "--insecure"
    case http1 = "--http1"
    case http2 = "--http2"
    case unixSocket = "--unix-socket"
    case progress = "--progress"
    case events = "--events"
    case verbose = "-v"

    var takesValue: Bool {
        switch self {
        case .insecure, .http1, .http2, .events, .verbose: false
        default: true
        }
    }

    /// What might have been meant by an option that does not exist.
    static func hint(for name: String) -> String {
        guard name.count > 3 else { return "" }
        let near = allCases.map(\.rawValue).filter { $0.hasPrefix(name) || $0.count > 2 && name.hasPrefix($0) }
        return near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
    }
}

extension RequestArguments {
    /// Applies one option.
    ///
    /// - Parameters:
    ///   - word: The option as written: `--name`, `--name=value`, `-n` or `-nvalue`.
    ///   - values: The words behind it, of which it takes its value where it needs one.
    mutating func applyOption(_ word: String, values: inout ArraySlice<String>) throws(UsageError) {
        let (name, attached) = Self.split(word)
        guard let option = Option(rawValue: name) else {
            throw UsageError("unknown option \(name)\(Option.hint(for: name))")
        }
        guard option.takesValue else {
            guard attached == nil else { throw UsageError("\(name) takes no value") }
            return try apply(option, "")
        }
        guard let value = attached ?? values.popFirst() else { throw UsageError("\(name) needs a value") }
        try apply(option, value)
    }

    private static func split(_ word: String) -> (name: String, value: String?) {
        if word.hasPrefix("--") {
            guard let end = word.firstIndex(of: "=") else { return (word, nil) }
            return (String(word[..<end]), String(word[word.index(after: end)...]))
        }
        let value = word.dropFirst(2)
        return (String(word.prefix(2)), value.isEmpty ? nil : String(value))
    }

    private mutating func apply(_ option: Option, _ value: String) throws(UsageError) {
        switch option {
        case .header: try addHeader(value)
        case .sensitive: sensitiveNames.append(value)
        case .data: try setBody(BodyArgument(value, isJSON: false))
        case .json: try setBody(BodyArgument(value, isJSON: true))
        case .output: outputPath = value
        case .retry: retries = try Self.count(option, value)
        case .timeout: timeouts.idle = try Self.seconds(option, value)
        case .maxTime: timeouts.total = try Self.seconds(option, value)
        case .connectTimeout: timeouts.connect = try Self.seconds(option, value)
        case .maxBytes: maxBytes = try Self.count(option, value)
        case .maxRedirects: maxRedirects = try Self.count(option, value)
        case .trustFile: try setTrustRoots(.file(path: value))
        case .insecure: try setTrustRoots(.anyone)
        case .http1: try setProtocol(.http1)
        case .http2: try setProtocol(.http2)
        case .unixSocket: connection.unixSocketPath = value
        case .progress: progress = try Self.progressMode(value)
        case .events: printsEvents = true
        case .verbose: isVerbose = true
        }
    }
}

// MARK: Effects

extension RequestArguments {
    private mutating func addHeader(_ line: String) throws(UsageError) {
        guard line.utf8.allSatisfy({ $0 == UInt8(ascii: "\t") || ($0 >= 0x20 && $0 != 0x7F) }) else {
            throw UsageError("a header cannot contain a line break or another control character")
        }
        guard let colon = line.firstIndex(of: ":") else {
            throw UsageError("the header \(line.quoted) has no colon; write 'Name: value'")
        }
        let name = String(line[..<colon])
        guard name.isToken else { throw UsageError("\(name.quoted) is no name of a header") }
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var value = line[line.index(after: colon)...].drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        headers.add(name, String(value))
    }

    private mutating func setBody(_ body: BodyArgument) throws(UsageError) {
        guard self.body == nil else { throw UsageError("a request has one body: give -d or --json once") }
        self.body = body
    }

    private mutating func setTrustRoots(_ roots: ConnectionOptions.TrustRoots) throws(UsageError) {
        guard connection.trustRoots == .system || connection.trustRoots == roots else {
            throw UsageError("--cacert and --insecure contradict each other")
        }
        connection.trustRoots = roots
    }

    private mutating func setProtocol(_ policy: ConnectionOptions.ProtocolPolicy) throws(UsageError) {
        guard connection.protocolPolicy == .automatic || connection.protocolPolicy == policy else {
            throw UsageError("--http1 and --http2 contradict each other")
        }
        connection.protocolPolicy = policy
    }

    private static func progressMode(_ text: String) throws(UsageError) -> ProgressMode {
        guard let mode = ProgressMode(rawValue: text) else {
            let names = ProgressMode.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--progress is one of \(names), and \(text.quoted) is none")
        }
        return mode
    }

    private static func count(_ option: Option, _ text: String) throws(UsageError) -> Int {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit), let count = Int(text) else {
            throw UsageError("\(option.rawValue) needs a whole number from 0 up, and \(text.quoted) is none")
        }
        return count
    }

    /// A number of seconds, with a fraction perhaps; zero stands for no limit.
    private static func seconds(_ option: Option, _ text: String) throws(UsageError) -> Duration? {
        let isDecimal =
            text.utf8.contains(where: \.isDigit) && text.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
        guard isDecimal, let seconds = Double(text), seconds <= 1e9 else {
            throw UsageError("\(option.rawValue) needs a number of seconds, and \(text.quoted) is none")
        }
        return seconds > 0 ? .seconds(seconds) : nil
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
