/// The options of a request, by their names: those of the tool, and curl's.
enum Option: String, CaseIterable {
    case url = "--url"
    case globOff = "-g --globoff"
    case next = "-: --next"
    case configuration = "-K --config"
    case disable = "-q --disable"
    case method = "-X --request"
    case header = "-H --header"
    case userAgent = "-A --user-agent"
    case referer = "-e --referer"
    case cookie = "-b --cookie"
    case cookieJar = "-c --cookie-jar"
    case junkSessionCookies = "-j --junk-session-cookies"
    case sensitive = "--sensitive"
    case user = "-u --user"
    case bearer = "--oauth2-bearer"
    case data = "-d --data --data-ascii"
    case dataBinary = "--data-binary"
    case dataRaw = "--data-raw"
    case dataEncoded = "--data-urlencode"
    case json = "--json"
    case form = "-F --form"
    case formString = "--form-string"
    case upload = "-T --upload-file"
    case get = "-G --get"
    case head = "-I --head"
    case range = "-r --range"
    case timeCondition = "-z --time-cond"
    case continueAt = "-C --continue-at"
    case compressed = "--compressed"
    case output = "-o --output"
    case remoteName = "-O --remote-name"
    case outputFolder = "--output-dir"
    case createFolders = "--create-dirs"
    case remoteHeaderName = "-J --remote-header-name"
    case include = "-i --include --show-headers"
    case writeOut = "-w --write-out"
    case fail = "-f --fail"
    case failWithBody = "--fail-with-body"
    case noBuffer = "-N --no-buffer"
    case location = "-L --location"
    case retry = "--retry"
    case retryDelay = "--retry-delay"
    case retryRefused = "--retry-connrefused"
    case timeout = "--timeout"
    case maxTime = "-m --max-time"
    case connectTimeout = "--connect-timeout"
    case maxBytes = "--max-bytes --max-filesize"
    case maxRedirects = "--max-redirects --max-redirs"
    case trustFile = "--cacert"
    case insecure = "-k --insecure"
    case certificate = "-E --cert"
    case key = "--key"
    case keyPassword = "--pass"
    case proxy = "-x --proxy"
    case noProxy = "--noproxy"
    case resolve = "--resolve"
    case ipv4 = "-4 --ipv4"
    case ipv6 = "-6 --ipv6"
    case pathAsIs = "--path-as-is"
    case http1 = "--http1 --http1.1"
    case http2 = "--http2"
    case http2PriorKnowledge = "--http2-prior-knowledge"
    case unixSocket = "--unix-socket"
    case progress = "--progress"
    case progressBar = "-# --progress-bar"
    case events = "--events"
    case lastEventID = "--last-event-id"
    case cursor = "--cursor"
    case reconnectDelay = "--reconnect-delay"
    case readTimeout = "--read-timeout"
    case comments = "--comments"
    case noReconnect = "--no-reconnect"
    case repeated = "--repeated"
    case every = "--every"
    case subprotocol = "--protocol"
    case ping = "--ping"
    case binary = "--binary"
    case echo = "--echo"
    case reconnect = "--reconnect"
    case linger = "--linger"
    case parallel = "-Z --parallel"
    case maxParallel = "--parallel-max"
    case checksum = "--checksum"
    case verbose = "-v --verbose"
    case silent = "-s --silent"
    case showError = "-S --show-error"

    init?(name: String) {
        guard let option = Self.byName[name] else { return nil }
        self = option
    }

    var takesValue: Bool {
        switch self {
        case .get, .head, .compressed, .remoteName, .remoteHeaderName, .include, .fail, .failWithBody, .noBuffer,
            .location, .retryRefused, .insecure, .ipv4, .ipv6, .pathAsIs, .http1, .http2, .http2PriorKnowledge,
            .progressBar, .events,
            .comments, .noReconnect,
            .globOff, .next, .disable, .parallel, .createFolders, .verbose, .silent, .showError, .junkSessionCookies,
            .binary, .echo, .reconnect:
            false
        default: true
        }
    }

    /// Whether the value is sent or written, and so need not be UTF-8.
    var takesBytes: Bool {
        switch self {
        case .header, .userAgent, .referer, .cookie, .user, .data, .dataBinary, .dataRaw, .dataEncoded, .json, .form,
            .formString, .writeOut, .proxy, .url:
            true
        default: false
        }
    }

    /// Whether a number may follow the option's long name, if it takes no value otherwise. curl's `--parallel` has none.
    var mayHaveNumber: Bool { self == .parallel }

    /// The commands that have the option.
    var commands: Set<Command> {
        switch self {
        case .head, .range, .timeCondition, .remoteHeaderName, .include, .writeOut, .failWithBody: [.request]
        case .continueAt, .output, .remoteName, .outputFolder, .createFolders, .retry, .retryDelay, .retryRefused,
            .progress, .progressBar:
            [.request, .download]
        // A feed without an end has timeouts of its own. A poll is a request.
        case .timeout, .maxTime: [.request, .download, .feed(.polls)]
        case .maxBytes: [.request, .download, .feed(.polls), .webSocket]
        // A compressed body cannot be resumed.
        case .compressed: Command.all.subtracting([.download, .webSocket])
        // A WebSocket is opened by a GET of HTTP/1.1 without a body.
        case .method, .data, .dataBinary, .dataRaw, .dataEncoded, .json, .form, .formString, .upload, .get, .http2,
            .http2PriorKnowledge:
            Command.all.subtracting([.webSocket])
        case .lastEventID, .comments, .repeated: [.feed(.serverSentEvents)]
        case .cursor: [.feed(.lines)]
        case .readTimeout: [.feed(.serverSentEvents), .feed(.lines)]
        case .every: [.feed(.polls)]
        case .reconnectDelay: Command.feeds.union([.webSocket])
        case .noReconnect: Command.feeds
        case .next: [.request]
        case .parallel, .maxParallel: [.request, .download]
        case .checksum: [.download]
        case .subprotocol, .ping, .binary, .echo, .reconnect, .linger: [.webSocket]
        default: Command.all
        }
    }

    private var names: [String] { rawValue.split(separator: " ").map(String.init) }

    private static let byName = Dictionary(
        uniqueKeysWithValues: allCases.flatMap { option in option.names.map { ($0, option) } })

    /// A question for the option that a misspelt one resembles; empty if there is none.
    static func hint(for name: String) -> String {
        guard name.count > 3 else { return "" }
        let near = allCases.compactMap { option in
            option.names.first { $0.hasPrefix(name) || $0.count > 2 && name.hasPrefix($0) }
        }
        return near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
    }
}

/// An option of the command line with its name as written, for messages.
struct NamedOption {
    let option: Option
    let name: String

    init(_ name: String) throws(UsageError) {
        guard let option = Option(name: name) else {
            throw UsageError("unknown option \(name)\(Option.hint(for: name))")
        }
        self.option = option
        self.name = name
    }

    /// Checks that a command has the option.
    func check(for command: Command) throws(UsageError) {
        let commands = option.commands
        guard !commands.contains(command) else { return }
        guard !commands.contains(.request) else { throw UsageError("\(command.name) has no \(name)") }
        throw UsageError("\(name) needs \(commands.map(\.name).sorted().joined(separator: " or "))")
    }
}
