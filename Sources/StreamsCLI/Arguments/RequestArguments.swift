import StreamsHTTP

/// One request as the command line describes it.
struct RequestArguments {
    /// The method; `nil` if it follows from the other options.
    private(set) var method: HTTPMethod?
    /// The URL of one transfer.
    var url = ""
    /// The arguments that are no options.
    var operands: [Operand] = []
    /// The URLs of the command line.
    private(set) var urls: [URLPattern] = []
    /// Whether braces and brackets of URLs stand for themselves.
    var takesURLsLiterally = false
    var headers = HeaderArguments()
    /// The cookies that are kept.
    var cookies = CookieArguments()
    /// The cache of responses.
    var cache = CacheArguments()
    /// The names of headers that carry secrets, besides those that always do.
    var sensitiveNames: [String] = []
    var credentials: Credentials?
    /// The token of `--oauth2-bearer`, which comes instead of the credentials.
    var bearerToken: String?
    var body: BodyArguments?
    /// Whether the data is added to the URL's query instead of being sent as the body.
    var sendsDataInQuery = false
    /// Whether the default method is HEAD.
    var asksForHead = false
    /// The part of the body that is requested; `nil` for all of it.
    var range: RangeArguments?
    /// The condition that the response depends on; `nil` for none.
    var timeCondition: TimeCondition?
    /// Whether a compressed body is requested and decoded even if other options ask for what the server has.
    var isCompressed = false
    /// The outputs, in the order of the URLs.
    var outputs: [OutputArgument] = []
    /// The folder of the outputs; `nil` for the current one.
    var outputFolder: String?
    /// Whether missing folders of the outputs are created.
    var createsFolders = false
    /// The path of the file that receives the body of the transfer instead of standard output.
    var outputPath: String?
    /// Whether the response may name the file.
    var takesNameOfResponse = false
    /// Whether the heads of responses are written before the body.
    var includesHeads = false
    /// The output of the heads of all responses; `nil` for none.
    var headOutput: HeadOutput?
    /// Whether the file of the body gets the time of its last change on the server.
    var takesRemoteTime = false
    /// Whether a failure ends the requests.
    var endsAtFailure = false
    /// Whether the body of a response with status 400 or above is not written.
    var omitsErrorBodies = false
    /// Whether the body of such a response must be written, which it is by default.
    var writesErrorBodies = false
    var writeOut: WriteOutFormat?
    var retries = 0
    /// The delay before each retry; `nil` for one that grows.
    var retryDelay: Duration?
    var timeouts = RequestOptions.Timeouts()
    /// The maximum number of bytes in a second, for each direction of each transfer; `nil` for no limit.
    var rateLimit: Int?
    var maxBytes: Int?
    var maxRedirects = 10
    var connection = RequestOptions.Connection()
    /// Whether the segments `.` and `..` of URLs are sent.
    var keepsDotSegments = false
    /// Whether HTTP/2 is spoken without TLS.
    var speaksHTTP2AtOnce = false
    /// The URL of the proxy; `nil` for that of the environment, and empty for none.
    var proxy: String?
    /// The hosts that are reached without a proxy; `nil` for those of the environment.
    var proxyExceptions: String?
    var addresses: [ResolveArgument] = []
    var certificate = CertificateArguments()
    /// Whether requests are made at the same time.
    var isParallel = false
    /// The maximum number of requests or downloads at the same time; `nil` for the command's own.
    var maxParallel: Int?
    var progress = ProgressMode.auto
    var printsEvents = false
    var isVerbose = false
    /// Whether neither progress nor errors are shown.
    var isSilent = false
    /// Whether errors are shown even so.
    var showsErrors = false
    /// Whether errors are written to standard error.
    var tellsErrors: Bool { !isSilent || showsErrors }
    /// The feed that the request is for.
    var feed = FeedArguments()
    /// The downloads that the request is for.
    var download = DownloadArguments()
    /// The WebSocket that the request opens.
    var webSocket = WebSocketArguments()
    /// The options of the command line.
    var options: [NamedOption] = []
}

/// The condition for progress to be shown.
enum ProgressMode: String {
    /// If standard error is a terminal, and the body is not written to a terminal.
    case auto
    /// If the body is not written to a terminal.
    case bar
    case always
    case never
}

extension RequestArguments {
    /// Takes the command, if the first of the operands that may be one is.
    mutating func takeCommand() {
        guard let place = operands.firstIndex(where: { !$0.isURL }),
            let command = Command(word: operands[place].text)
        else {
            return
        }
        switch command {
        case .webSocket: webSocket.isWanted = true
        case .download: download.isWanted = true
        case .feed(let kind): feed.kind = kind
        case .request, .tour: return
        }
        operands.remove(at: place)
    }

    /// Takes the method, if there is one, and the URLs: `[METHOD] URL...`.
    mutating func takeURLs() throws(UsageError) {
        if operands.count > 1 { try takeMethod() }
        guard !operands.isEmpty else { throw UsageError("a URL is missing") }
        let scheme: DefaultScheme = webSocket.isWanted ? .ws : .http
        for operand in operands {
            urls.append(
                try takesURLsLiterally
                    ? URLPattern(literal: operand.text, scheme: scheme) : URLPattern(operand.text, scheme: scheme))
        }
        url = urls[0][0].url
        if feed.kind != nil || webSocket.isWanted {
            guard urls.count == 1 else {
                throw UsageError("\(command.name) has one URL, and there are \(urls.count)")
            }
            guard !urls[0].hasPatterns else {
                throw UsageError(
                    "\(command.name) has one URL without patterns; -g takes braces and brackets as they are")
            }
        }
    }

    /// Takes the method, if the first of several operands is one. The name of a method elsewhere among them is more
    /// probably a mistake than a host of that name.
    private mutating func takeMethod() throws(UsageError) {
        if command != .webSocket, command != .download, let place = operands.firstIndex(where: { !$0.isURL }),
            operands[place].isMethod
        {
            try setMethod(operands.remove(at: place).text)
        }
        for operand in operands where !operand.isURL {
            guard let meant = Self.standardMethods.first(where: { $0.rawValue == operand.text.uppercased() }) else {
                continue
            }
            // Finds a method of small letters.
            _ = try Self.method(operand.text)
            throw UsageError("\(operand.text.quoted) is no URL; \(meant)/ is a host, and a method comes first")
        }
    }

    var command: Command {
        if webSocket.isWanted { return .webSocket }
        return download.isWanted ? .download : feed.kind.map(Command.feed) ?? .request
    }

    mutating func setMethod(_ text: String) throws(UsageError) {
        let method = try Self.method(text)
        guard self.method == nil || self.method == method else { throw UsageError("a request has one method") }
        self.method = method
    }

    /// Takes the options that hold for all requests that `--next` separates: those of what is shown, and of how many
    /// are made at the same time.
    mutating func takeGlobalOptions(of other: RequestArguments) {
        isParallel = other.isParallel
        maxParallel = other.maxParallel
        endsAtFailure = other.endsAtFailure
        progress = other.progress
        printsEvents = other.printsEvents
        isVerbose = other.isVerbose
        isSilent = other.isSilent
        showsErrors = other.showsErrors
    }

    /// Checks the options that depend on each other.
    mutating func complete() throws(UsageError) {
        for option in options { try option.check(for: command) }
        try feed.check()
        try checkDownload()
        try checkWebSocket()
        try headers.mark(sensitiveNames)
        try checkParts()
        try checkProtocol(of: url)
        if let proxy { connection.proxy = proxy.isEmpty ? .none : .url(proxy, except: try exceptions()) }
        connection.clientCertificate = try certificate.certificate()
        if asksForHead {
            guard method == nil || method == .head else { throw UsageError("-I sends HEAD and no other method") }
            includesHeads = true
        }
        guard sendsDataInQuery else { return }
        switch body {
        case .data, nil: break
        default: throw UsageError("-G sends the data of -d and --data-urlencode, and no other body")
        }
    }

    /// Checks the options for parts of a body, and for a response that is not as requested.
    private func checkParts() throws(UsageError) {
        if omitsErrorBodies, writesErrorBodies { throw UsageError("-f and --fail-with-body contradict each other") }
        if isCompressed, headers.removes("Accept-Encoding") {
            throw UsageError("--compressed needs the header Accept-Encoding")
        }
        guard let range, range.isContinuation, !download.isWanted else { return }
        guard body == nil || sendsDataInQuery, method ?? .get == .get, !asksForHead else {
            throw UsageError("-C continues the response to a GET, and no upload")
        }
    }

    /// Checks that HTTP/2 begins as with curl: negotiated over TLS, and at once only if asked for.
    func checkProtocol(of url: String) throws(UsageError) {
        let hasHTTP = url.lowercased().hasPrefix("http:")
        guard connection.protocolPolicy != .http2 || speaksHTTP2AtOnce == hasHTTP else {
            throw UsageError(
                speaksHTTP2AtOnce
                    ? "--http2-prior-knowledge is for http://; over TLS, --http2 is negotiated"
                    : "--http2 does not upgrade http://; use --http2-prior-knowledge")
        }
    }

    /// The hosts that are reached without the proxy of `-x`. As with curl, the environment's exceptions apply.
    private func exceptions() throws(UsageError) -> [String] {
        let environment = FieldText(environment: "no_proxy") ?? FieldText(environment: "NO_PROXY") ?? ""
        let list = if let proxyExceptions { proxyExceptions } else { try environment.utf8("the variable no_proxy") }
        return list.split { $0 == "," || $0 == " " }.map(String.init)
    }

    /// The names of values that are not shown: the usual ones, and those of `--sensitive`.
    var redaction: Redaction {
        var redaction = Redaction()
        redaction.names.formUnion(sensitiveNames)
        return redaction
    }

    private static let standardMethods: [HTTPMethod] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace,
    ]

    private static func method(_ text: String) throws(UsageError) -> HTTPMethod {
        guard text.isToken else { throw UsageError("\(text.quoted) is no method") }
        // Methods are case-sensitive (RFC 9110, section 9.1), so a lower-case one is a mistake.
        if let meant = standardMethods.first(where: { $0.rawValue == text.uppercased() && $0.rawValue != text }) {
            throw UsageError("\(text.quoted) is no method; did you mean \(meant)?")
        }
        return HTTPMethod(rawValue: text)
    }
}
