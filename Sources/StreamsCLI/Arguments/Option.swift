/// The options of a request, by their names: those of the tool, and curl's.
enum Option: String, CaseIterable {
    case method = "-X --request"
    case header = "-H --header"
    case sensitive = "--sensitive"
    case user = "-u --user"
    case data = "-d --data --data-binary --data-ascii"
    case dataRaw = "--data-raw"
    case dataEncoded = "--data-urlencode"
    case json = "--json"
    case form = "-F --form"
    case formString = "--form-string"
    case upload = "-T --upload-file"
    case get = "-G --get"
    case head = "-I --head"
    case output = "-o --output"
    case include = "-i --include --show-headers"
    case writeOut = "-w --write-out"
    case fail = "-f --fail"
    case location = "-L --location"
    case retry = "--retry"
    case timeout = "--timeout"
    case maxTime = "-m --max-time"
    case connectTimeout = "--connect-timeout"
    case maxBytes = "--max-bytes"
    case maxRedirects = "--max-redirects --max-redirs"
    case trustFile = "--cacert"
    case insecure = "-k --insecure"
    case certificate = "-E --cert"
    case key = "--key"
    case keyPassword = "--pass"
    case proxy = "-x --proxy"
    case http1 = "--http1 --http1.1"
    case http2 = "--http2"
    case unixSocket = "--unix-socket"
    case progress = "--progress"
    case events = "--events"
    case lastEventID = "--last-event-id"
    case reconnectDelay = "--reconnect-delay"
    case readTimeout = "--read-timeout"
    case comments = "--comments"
    case noReconnect = "--no-reconnect"
    case repeated = "--repeated"
    case every = "--every"
    case remoteName = "-O --remote-name"
    case parallel = "--parallel"
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
        case .get, .head, .include, .fail, .location, .insecure, .http1, .http2, .events, .verbose, .silent,
            .showError, .comments, .noReconnect, .remoteName:
            false
        default: true
        }
    }

    /// Whether only a feed has the option.
    var isForFeeds: Bool {
        switch self {
        case .lastEventID, .reconnectDelay, .readTimeout, .comments, .noReconnect, .repeated, .every: true
        default: false
        }
    }

    /// Whether only a download has the option.
    var isForDownloads: Bool {
        switch self {
        case .remoteName, .parallel, .checksum: true
        default: false
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
}
