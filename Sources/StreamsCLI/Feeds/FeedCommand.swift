import StreamsHTTP

/// Subscribes to a feed from the command line, until the feed or a signal ends it.
struct FeedCommand {
    private let arguments: RequestArguments
    private let console: Console
    private let interruption = Interruption()

    init(_ arguments: RequestArguments, console: Console) {
        self.arguments = arguments
        self.console = console
    }

    @MainActor
    func run() async -> ExitStatus {
        let printer = FeedPrinter(
            output: LineOutput(.standardOutput), printsEvents: arguments.printsEvents,
            notices: FeedNotices(
                arguments.feed.kind, console: arguments.tellsErrors ? console : nil, isVerbose: arguments.isVerbose))
        do throws(Failure) {
            try await subscribe(printer)
            return .success
        } catch {
            guard !error.isClosedPipe else { return .success }
            // If the reader has closed its end, the event cannot be delivered.
            try? printer.failed(error)
            try? printer.output.flush()
            if arguments.tellsErrors { console.say("streams: \(error.message)") }
            return error.status
        }
    }

    @MainActor
    private func subscribe(_ printer: FeedPrinter) async throws(Failure) {
        // A feed that its client ends finishes after the element that is being delivered.
        let client = try arguments.openClient(on: console, until: interruption)
        printer.output.onFailure { client.cancelAll() }
        var arguments = arguments
        arguments.body = try arguments.body?.readingStandardInput()
        var request = try arguments.makeRequest()
        request.options.validation = .successOnly
        var feed = arguments.feed
        guard !arguments.webSocket.isWanted else {
            let messages = try arguments.webSocket.readMessages()
            let received = client.webSocketFeed(
                for: request, options: feed.options, socketOptions: arguments.socketOptions, onOpen: { _ in messages })
            return try await print(received, printer) { message throws(SystemError) in try printer.message(message) }
        }
        // A method that the command line names is meant to be repeated. One that only a body implies would send the
        // body again after each response: a call would be executed twice, and an answer be paid for twice.
        if let method = arguments.method { feed.options.reconnection.methods.insert(method) }
        feed.options.requestsCompression = arguments.isCompressed
        switch feed.kind {
        case .serverSentEvents:
            feed.options.resumesFromLastEventID = !arguments.headers.removes("Last-Event-ID")
            let events = client.serverSentEvents(for: request, lastEventID: feed.lastEventID, options: feed.options)
            try await print(events, printer) { event throws(SystemError) in try printer.message(event) }
        case .lines:
            let lines = client.lines(for: request, cursor: feed.cursor?.cursor, options: feed.options)
            try await print(lines, printer) { line throws(SystemError) in try printer.line(line) }
        case .polls, nil:
            let changes = client.changes(for: request, every: feed.interval ?? .seconds(60), options: feed.options)
            try await print(changes, printer) { response throws(SystemError) in try printer.response(response) }
        }
    }

    /// Prints the events of a feed.
    ///
    /// - Parameter printElement: Prints an element.
    @MainActor
    private func print<Element>(
        _ feed: Feed<Element>, _ printer: FeedPrinter, printElement: (Element) throws(SystemError) -> Void
    ) async throws(Failure) {
        do {
            for try await event in feed.events.values {
                try arguments.headOutput?.flush(after: printer.output)
                printer.notices.observe(event)
                if case .element(let element) = event { try printElement(element) } else { try printer.print(event) }
            }
            try printer.output.flush()
            try arguments.headOutput?.finish()
            if let signal = interruption.signal { throw Failure(interruptedBy: signal) }
            try printer.finished()
            try printer.output.flush()
        } catch let failure as Failure {
            throw failure
        } catch let error as SystemError {
            throw Failure(writing: error)
        } catch let error as HTTPError {
            if let failure = printer.output.failure { throw Failure(writing: failure) }
            // The failure of the feed comes first.
            try? printer.output.flush()
            try? arguments.headOutput?.finish()
            if let signal = interruption.signal { throw Failure(interruptedBy: signal) }
            throw Failure(error, withContent: !arguments.omitsErrorBodies)
        } catch {
            throw Failure(interruptedBy: interruption.signal ?? SIGINT)
        }
    }
}
