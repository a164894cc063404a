import StreamsHTTP

/// Runs one request from the command line: all of HTTP is the library's, the descriptors and the exit are the tool's.
struct RequestCommand {
    private let arguments: RequestArguments
    private let console: Console
    private let interruption = Interruption()

    init(_ arguments: RequestArguments, console: Console) {
        self.arguments = arguments
        self.console = console
    }

    func run() async -> ExitStatus {
        let work = Task { await perform() }
        interruption.onSignal { work.cancel() }
        return await work.value
    }

    private func perform() async -> ExitStatus {
        let printer = arguments.printsEvents ? EventPrinter(descriptor: .standardOutput) : nil
        do throws(Failure) {
            let status = try await exchange(printer)
            guard status.code >= 400 else { return .success }
            console.say("streams: the server answered \(status)")
            return .errorResponse
        } catch {
            guard !error.isClosedPipe else { return .success }
            console.say("streams: \(error.message)")
            // A reader that has gone needs no last word.
            try? printer?.failed(error)
            return error.status
        }
    }

    private func exchange(_ printer: EventPrinter?) async throws(Failure) -> HTTPStatus {
        let request = arguments.request(body: try arguments.body?.makeBody() ?? .empty)
        let output: (any BodyOutput)?
        do throws(SystemError) {
            output = try arguments.bodyOutput(interruption)
        } catch {
            throw Failure(writing: error)
        }
        let reporter = ProgressReporter(arguments, on: console)
        let log = arguments.isVerbose ? RequestLog(on: console) : nil
        var delivery = Delivery(output: output, printer: printer)
        let response: HTTPResponse<Void>
        do throws(Failure) {
            response = try await events(of: request, to: &delivery, reporter, log)
        } catch {
            output?.discard()
            reporter?.drop()
            throw error
        }
        try delivery.finish(response)
        log?.finished(response, bytes: delivery.bytes)
        return response.status
    }

    /// Passes the events on, up to the response.
    private func events(
        of request: HTTPRequest, to delivery: inout Delivery, _ reporter: ProgressReporter?, _ log: RequestLog?
    ) async throws(Failure) -> HTTPResponse<Void> {
        do {
            for try await event in client(log, reporter).events(for: request).values {
                reporter?.observe(event)
                log?.observe(event)
                try delivery.take(event)
                if case .response(let response) = event { return response }
            }
        } catch let failure as Failure {
            throw failure
        } catch let error as HTTPError {
            if let signal = interruption.signal { throw Failure(interruptedBy: signal) }
            guard let response = error.response else { throw Failure(error) }
            // A response that was to be tried again, and then could not be.
            try delivery.take(.chunk(response.body))
            return response.replacingBody(())
        } catch {
            throw Failure(interruptedBy: interruption.signal ?? SIGINT)
        }
        throw Failure(interruptedBy: interruption.signal ?? SIGINT)
    }

    private func client(_ log: RequestLog?, _ reporter: ProgressReporter?) -> HTTPClient {
        var options = RequestOptions()
        // What is shown, and when, is up to the display: the more it knows, the truer it is.
        options.progress = reporter == nil ? nil : .everyChunk
        let configuration = HTTPClient.Configuration(options: options)
        guard let log else { return HTTPClient(configuration: configuration) }
        return HTTPClient(configuration: configuration, transport: LoggedTransport(CurlTransport(), log: log))
    }
}
