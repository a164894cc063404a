import StreamsHTTP

extension RequestArguments {
    /// Returns a client for the command line.
    ///
    /// - Parameters:
    ///   - log: The log of requests and heads; `nil` for none.
    ///   - heads: The heads to collect; `nil` for none.
    ///   - reportsProgress: Whether every change of the progress is needed.
    ///   - monitor: The monitor of the requests; `nil` for none.
    ///   - transport: The transport.
    func makeClient(
        log: RequestLog?, heads: ResponseHeads? = nil, reportsProgress: Bool = false, monitor: MetricsMonitor? = nil,
        transport: SystemTransport = SystemTransport()
    ) -> HTTPClient {
        let transport: any HTTPTransport = rateLimit.map { PacedTransport(transport, rate: $0) } ?? transport
        var options = RequestOptions()
        // The display decides what to show and when.
        if reportsProgress { options.progress = .everyChunk }
        var configuration = HTTPClient.Configuration(options: options)
        configuration.redaction = redaction
        configuration.cookies = cookies.jar
        configuration.cache = cache.responses
        configuration.options.cache.staleIfError = cache.staleIfError
        if let jar = cookies.jar, let field = headers.cookieField {
            configuration.interceptors = [CookieAddition(jar: jar, field: field)]
        }
        if let monitor { configuration.monitors = [monitor] }
        let adjustment = RequestAdjustment(removedNames: headers.removedNames, addresses: addresses)
        return HTTPClient(
            configuration: configuration,
            transport: ToolTransport(
                transport, adjustment: adjustment, log: log, heads: heads, headOutput: headOutput))
    }

    /// Starts the log, opens the output of `-D`, and returns a client for a feed or a WebSocket. A signal shuts the client
    /// down.
    func openClient(on console: Console, until interruption: Interruption) throws(Failure) -> HTTPClient {
        let log = makeLog(on: console)
        try openHeadOutput()
        let client = makeClient(log: log)
        interruption.onSignal { Task { await client.shutdown() } }
        return client
    }

    /// Creates the log of `-v`; `nil` without that option.
    func makeLog(on console: Console) -> RequestLog? {
        isVerbose ? RequestLog(on: console, redaction: redaction) : nil
    }

    /// Opens the output of `-D`, if there is one. Must be called before the first request.
    func openHeadOutput() throws(Failure) {
        do throws(SystemError) {
            try headOutput?.open(createsFolders: createsFolders)
        } catch {
            throw Failure(writing: error)
        }
    }

    /// Sets the exceptions of a proxy that the environment names. Must be called before the first request, because other
    /// threads read the environment then.
    func setProxyExceptions() {
        guard let proxyExceptions, proxy == nil else { return }
        unsetenv("NO_PROXY")
        setenv("no_proxy", proxyExceptions, 1)
    }
}
