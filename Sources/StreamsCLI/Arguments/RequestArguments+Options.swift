import StreamsHTTP

extension RequestArguments {
    /// Applies an option. `--next`, `-K` and those that ask for a document have no effect of
    /// their own on a request.
    mutating func apply(_ named: NamedOption, _ argument: FieldText) throws(UsageError) {
        options.append(named)
        let value =
            named.option.takesBytes ? argument.string : try argument.utf8("the value of \(named.name)")
        switch named.option {
        case .method: try setMethod(value)
        case .header: try headers.add(argument)
        case .userAgent: try headers.setUserAgent(argument)
        case .referer: try headers.setReferer(argument)
        case .cookie: try addCookies(argument)
        case .cookieJar: cookies.jarPath = value
        case .junkSessionCookies: cookies.dropsSessions = true
        case .sensitive: sensitiveNames.append(value)
        case .user: credentials = try Credentials(argument)
        case .bearer: bearerToken = try Credentials.token(value)
        case .data: try addData(DataArgument(argument))
        case .dataBinary: try addData(DataArgument(binary: argument))
        case .dataRaw: try addData(DataArgument(raw: argument))
        case .dataEncoded: try addData(DataArgument(encoding: argument))
        case .json: try addDocument(ContentSource(argument: argument))
        case .form: try addPart(FormArgument(argument))
        case .formString: try addPart(FormArgument(literal: argument))
        case .upload: try setBody(.upload(ContentSource(path: value)))
        case .get: sendsDataInQuery = true
        case .head: asksForHead = true
        case .range: try setRange(RangeArguments(ranges: value))
        case .timeCondition: timeCondition = try TimeCondition(value)
        case .continueAt: try setRange(RangeArguments(continuingAt: value))
        case .compressed: isCompressed = true
        case .url: operands.append(Operand(text: argument.urlText, isURL: true))
        case .globOff: takesURLsLiterally = true
        case .outputFolder: outputFolder = value
        case .createFolders: createsFolders = true
        case .output: outputs.append(OutputArgument(argument: value))
        case .remoteName: outputs.append(.remoteName)
        case .remoteHeaderName: takesNameOfResponse = true
        case .include: includesHeads = true
        case .dumpHeads: headOutput = HeadOutput(argument: value)
        case .remoteTime: takesRemoteTime = true
        case .failEarly: endsAtFailure = true
        case .writeOut: writeOut = try WriteOutFormat(argument: argument)
        case .fail: omitsErrorBodies = true
        case .failWithBody: writesErrorBodies = true
        // Redirects are followed, chunks are written when they arrive, and a refused connection is retried in any case.
        case .location, .noBuffer, .retryRefused: break
        case .retry: retries = try Self.count(named, value)
        case .retryDelay: retryDelay = try Self.seconds(named, value)
        case .timeout: timeouts.idle = try Self.seconds(named, value)
        case .maxTime: timeouts.total = try Self.seconds(named, value)
        case .connectTimeout: timeouts.connect = try Self.seconds(named, value)
        case .cache: cache.path = value
        case .staleIfError: cache.staleIfError = try Self.seconds(named, value) ?? .zero
        case .limitRate: rateLimit = try RateLimit.rate(named, value)
        case .maxBytes: maxBytes = try Self.count(named, value)
        case .maxRedirects: maxRedirects = try Self.count(named, value)
        case .trustFile: try setTrustRoots(.file(path: value))
        case .insecure: try setTrustRoots(.insecureAcceptAny)
        case .certificate: certificate.setCertificate(value)
        case .key: certificate.keyPath = value
        case .keyPassword: certificate.password = value
        case .proxy: proxy = argument.urlText
        case .noProxy: proxyExceptions = value
        case .ipv4: try setAddressFamily(.ipv4)
        case .ipv6: try setAddressFamily(.ipv6)
        case .pathAsIs: keepsDotSegments = true
        case .resolve: addresses.append(try ResolveArgument(value))
        case .http1: try setProtocol(.http1)
        case .http2: try setProtocol(.http2)
        case .http2PriorKnowledge:
            try setProtocol(.http2)
            speaksHTTP2AtOnce = true
        case .unixSocket: connection.unixSocketPath = value
        case .progress: progress = try Self.progressMode(value)
        case .progressBar: progress = .bar
        case .events: printsEvents = true
        case .lastEventID: feed.lastEventID = value
        case .cursor: feed.cursor = try CursorArgument(value)
        case .reconnectDelay: feed.setReconnectDelay(try Self.seconds(named, value) ?? .zero)
        case .readTimeout: timeouts.idle = try Self.seconds(named, value)
        case .comments: feed.options.deliversComments = true
        case .noReconnect: feed.options.reconnection = .never
        case .repeated: try feed.setRepeatedElements(value)
        case .parallel:
            isParallel = true
            if !value.isEmpty { try setMaxParallel(named, value) }
        case .maxParallel: try setMaxParallel(named, value)
        case .next, .configuration, .disable: break
        case .checksum: try download.addChecksum(value)
        case .every: try feed.setInterval(Self.seconds(named, value))
        case .subprotocol: try webSocket.addSubprotocol(value)
        case .ping: webSocket.options.pingInterval = try Self.seconds(named, value)
        case .binary: webSocket.sendsBinary = true
        case .echo: webSocket.echoes = true
        case .reconnect: webSocket.reconnects = true
        case .linger: webSocket.linger = try Self.seconds(named, value) ?? .zero
        case .verbose: isVerbose = true
        case .silent: isSilent = true
        case .showError: showsErrors = true
        case .help, .version, .completionScript, .manual: break
        }
    }
}

// MARK: Effects

extension RequestArguments {
    /// Adds the value of `-b`: cookies if it has an equals sign, or else the name of a file, as with curl.
    private mutating func addCookies(_ argument: FieldText) throws(UsageError) {
        let value = argument.string
        if value.hasPrefix("@") {
            cookies.addFile(try FieldText(value.dropFirst(), of: argument).utf8("the name of a file"))
        } else if value.contains("=") {
            try headers.addCookies(argument)
        } else {
            cookies.addFile(try argument.utf8("the name of a file"))
        }
    }

    private mutating func addData(_ piece: DataArgument) throws(UsageError) {
        if case .data(let pieces) = body {
            body = .data(pieces + [piece])
        } else {
            try setBody(.data([piece]))
        }
    }

    private mutating func addDocument(_ piece: ContentSource) throws(UsageError) {
        if case .json(let pieces) = body {
            body = .json(pieces + [piece])
        } else {
            try setBody(.json([piece]))
        }
    }

    private mutating func addPart(_ part: FormArgument) throws(UsageError) {
        if case .form(let parts) = body {
            body = .form(parts + [part])
        } else {
            try setBody(.form([part]))
        }
    }

    private mutating func setBody(_ body: BodyArguments) throws(UsageError) {
        guard self.body == nil else {
            throw UsageError("a request has one body: give only one of -d, --json, -F and -T")
        }
        self.body = body
    }

    private mutating func setRange(_ range: RangeArguments) throws(UsageError) {
        guard self.range == nil else { throw UsageError("a request has one of -r and -C") }
        self.range = range
    }

    private mutating func setTrustRoots(_ roots: RequestOptions.Connection.TrustRoots) throws(UsageError) {
        guard connection.trustRoots == .system || connection.trustRoots == roots else {
            throw UsageError("--cacert and --insecure contradict each other")
        }
        connection.trustRoots = roots
    }

    private mutating func setProtocol(_ policy: RequestOptions.Connection.ProtocolPolicy) throws(UsageError) {
        guard connection.protocolPolicy == .automatic || connection.protocolPolicy == policy else {
            throw UsageError("--http1 and --http2 contradict each other")
        }
        connection.protocolPolicy = policy
    }

    private mutating func setMaxParallel(_ option: NamedOption, _ value: String) throws(UsageError) {
        let number = try Self.count(option, value)
        guard (1...300).contains(number) else { throw UsageError("\(option.name) needs a number from 1 to 300") }
        maxParallel = number
    }

    private mutating func setAddressFamily(
        _ family: RequestOptions.Connection.AddressFamily
    ) throws(UsageError) {
        guard connection.addressFamily == .any || connection.addressFamily == family else {
            throw UsageError("-4 and -6 contradict each other")
        }
        connection.addressFamily = family
    }

    private static func progressMode(_ text: String) throws(UsageError) -> ProgressMode {
        guard let mode = ProgressMode(rawValue: text), mode != .bar else {
            throw UsageError("--progress is one of auto, always, never, and \(text.quoted) is none")
        }
        return mode
    }

    private static func count(_ option: NamedOption, _ text: String) throws(UsageError) -> Int {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit), let count = Int(text) else {
            throw UsageError("\(option.name) needs a whole number from 0 up, and \(text.quoted) is none")
        }
        return count
    }

    /// Returns a number of seconds, which may have a fraction; `nil`, which is no limit, for zero.
    private static func seconds(_ option: NamedOption, _ text: String) throws(UsageError) -> Duration? {
        let isDecimal =
            text.utf8.contains(where: \.isDigit) && text.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
        guard isDecimal, let seconds = Double(text), seconds <= 1e9 else {
            throw UsageError("\(option.name) needs a number of seconds, and \(text.quoted) is none")
        }
        return seconds > 0 ? .seconds(seconds) : nil
    }
}
