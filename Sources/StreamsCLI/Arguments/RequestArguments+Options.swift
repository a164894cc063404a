import StreamsHTTP

extension RequestArguments {
    /// Applies the options of one word.
    ///
    /// - Parameters:
    ///   - word: The word: `--name`, `--name=value`, `-n`, `-nvalue`, or several short options such as `-sk`, of which
    ///     the last may have a value.
    ///   - values: The words after it. The first is removed if an option takes it as its value.
    mutating func applyOptions(_ word: String, values: inout ArraySlice<String>) throws(UsageError) {
        guard !word.hasPrefix("--") else { return try applyLongOption(word, values: &values) }
        var rest = word.dropFirst()
        while let letter = rest.popFirst() {
            let option = try NamedOption("-\(letter)")
            guard option.option.takesValue else {
                try apply(option, "")
                continue
            }
            let value = if rest.isEmpty { try Self.value(of: option, &values) } else { String(rest) }
            return try apply(option, value)
        }
    }

    private mutating func applyLongOption(
        _ word: String, values: inout ArraySlice<String>
    ) throws(UsageError) {
        let end = word.firstIndex(of: "=")
        let option = try NamedOption(String(word[..<(end ?? word.endIndex)]))
        let attached = end.map { String(word[word.index(after: $0)...]) }
        switch (option.option.takesValue, attached) {
        case (true, let value?): try apply(option, value)
        case (true, nil): try apply(option, Self.value(of: option, &values))
        case (false, nil): try apply(option, "")
        case (false, _?): throw UsageError("\(option.name) takes no value")
        }
    }

    private static func value(
        of option: NamedOption, _ values: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        guard let value = values.popFirst() else { throw UsageError("\(option.name) needs a value") }
        return value
    }

    private mutating func apply(_ named: NamedOption, _ value: String) throws(UsageError) {
        if named.option.isForFeeds { feed.optionNames.append(named.name) }
        if named.option.isForDownloads { download.optionNames.append(named.name) }
        switch named.option {
        case .method: try setMethod(value)
        case .header: try addHeader(value)
        case .sensitive: sensitiveNames.append(value)
        case .user: credentials = try Credentials(value)
        case .data: try addData(DataArgument(value))
        case .dataRaw: try addData(DataArgument(raw: value))
        case .dataEncoded: try addData(DataArgument(encoding: value))
        case .json: try setBody(.json(ContentSource(argument: value)))
        case .form: try addPart(FormArgument(value))
        case .formString: try addPart(FormArgument(literal: value))
        case .upload: try setBody(.upload(ContentSource(path: value)))
        case .get: sendsDataInQuery = true
        case .head: asksForHead = true
        case .output: outputPath = value == "-" ? nil : value
        case .include: includesHeads = true
        case .writeOut: writeOut = try WriteOutFormat(argument: value)
        case .fail: omitsErrorBodies = true
        // Redirects are followed in any case.
        case .location: break
        case .retry: retries = try Self.count(named, value)
        case .timeout: timeouts.idle = try Self.seconds(named, value)
        case .maxTime: timeouts.total = try Self.seconds(named, value)
        case .connectTimeout: timeouts.connect = try Self.seconds(named, value)
        case .maxBytes: maxBytes = try Self.count(named, value)
        case .maxRedirects: maxRedirects = try Self.count(named, value)
        case .trustFile: try setTrustRoots(.file(path: value))
        case .insecure: try setTrustRoots(.insecureAcceptAny)
        case .certificate: certificate.setCertificate(value)
        case .key: certificate.keyPath = value
        case .keyPassword: certificate.password = value
        case .proxy: connection.proxy = Self.proxy(value)
        case .http1: try setProtocol(.http1)
        case .http2: try setProtocol(.http2)
        case .unixSocket: connection.unixSocketPath = value
        case .progress: progress = try Self.progressMode(value)
        case .events: printsEvents = true
        case .lastEventID: feed.lastEventID = value
        case .reconnectDelay: feed.setReconnectDelay(try Self.seconds(named, value) ?? .zero)
        case .readTimeout: feed.options.idleTimeout = try Self.seconds(named, value)
        case .comments: feed.options.deliversComments = true
        case .noReconnect: feed.options.reconnection = .never
        case .repeated: try feed.setRepeatedElements(value)
        // The name of the URL is the default.
        case .remoteName: break
        case .parallel: download.parallel = try Self.count(named, value)
        case .checksum: try download.addChecksum(value)
        case .every: feed.interval = try Self.seconds(named, value) ?? .zero
        case .verbose: isVerbose = true
        case .silent: isSilent = true
        case .showError: showsErrors = true
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
            // The line is not shown: it may be a credential.
            throw UsageError("a header has no colon; write 'Name: value'")
        }
        let name = String(line[..<colon])
        guard name.isToken else { throw UsageError("\(name.quoted) is no name of a header") }
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var value = line[line.index(after: colon)...].drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        headers.add(name, String(value))
    }

    private mutating func addData(_ piece: DataArgument) throws(UsageError) {
        if case .data(let pieces) = body {
            body = .data(pieces + [piece])
        } else {
            try setBody(.data([piece]))
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

    /// Returns the proxy of `-x`: none if it is empty. As with curl, the environment's exceptions apply.
    private static func proxy(_ url: String) -> ConnectionOptions.Proxy {
        guard !url.isEmpty else { return .none }
        let exceptions = (getenv("no_proxy") ?? getenv("NO_PROXY")).map { String(cString: $0) } ?? ""
        return .url(url, except: exceptions.split { $0 == "," || $0 == " " }.map(String.init))
    }

    private static func progressMode(_ text: String) throws(UsageError) -> ProgressMode {
        guard let mode = ProgressMode(rawValue: text) else {
            let names = ProgressMode.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--progress is one of \(names), and \(text.quoted) is none")
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

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
