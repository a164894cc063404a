import StreamsHTTP

/// The request of one URL: the library does all of HTTP, the tool handles descriptors and the exit.
struct RequestTransfer {
    private let arguments: RequestArguments
    private let body: Result<BodyArguments?, Failure>
    private let transport: SystemTransport
    private let console: Console
    private let interruption: Interruption
    private let outputQueue: OutputQueue
    private let heads: ResponseHeads?
    private let monitor: MetricsMonitor?

    /// - Parameters:
    ///   - arguments: The arguments of the request.
    ///   - body: The body of the request, which all URLs share, or the failure to read it.
    ///   - transport: The transport of all URLs.
    ///   - console: The console for messages.
    ///   - interruption: The signals that end the tool.
    ///   - outputQueue: The order of the transfers that write to standard output.
    init(
        _ arguments: RequestArguments, body: Result<BodyArguments?, Failure>, transport: SystemTransport,
        console: Console, interruption: Interruption, outputQueue: OutputQueue
    ) {
        self.arguments = arguments.continuingOutput
        self.body = body
        self.transport = transport
        self.console = console
        self.interruption = interruption
        self.outputQueue = outputQueue
        heads = arguments.includesHeads || arguments.writeOut != nil ? ResponseHeads() : nil
        monitor = arguments.writeOut == nil ? nil : MetricsMonitor()
    }

    func perform() async -> ExitStatus {
        for name in arguments.writeOut?.unknownNames ?? [] {
            console.say("streams: unknown --write-out variable: \(name.quoted)")
        }
        let printer =
            arguments.printsEvents ? EventPrinter(descriptor: .standardOutput, redaction: arguments.redaction) : nil
        var writeOut = WriteOut(arguments)
        let turn = OutputTurn(in: outputQueue)
        defer { turn.end() }
        do throws(Failure) {
            let message = try await exchange(printer, &writeOut, turn)
            return await end(writeOut, turn, status: message == nil ? .success : .errorResponse, message: message)
        } catch {
            guard !error.isClosedPipe else { return .success }
            // If the reader has closed its end, the event cannot be delivered.
            try? printer?.failed(error)
            // The redirect that was not followed is the response, as with curl.
            if error.isRedirect { writeOut.response = heads?.last }
            return await end(writeOut, turn, status: error.status, message: error.message)
        }
    }

    /// Reports an error, and writes the output of `-w`.
    private func end(
        _ writeOut: WriteOut, _ turn: OutputTurn, status: ExitStatus, message: String?
    ) async -> ExitStatus {
        if let message {
            report(message + (arguments.unrepeatedMethod.map { "; --retry does not repeat a \($0)" } ?? ""))
        }
        guard let format = arguments.writeOut else { return status }
        await turn.take()
        do throws(SystemError) {
            try writeOut.write(format, monitor?.metrics, status: status, message: message)
            return status
        } catch {
            guard !error.isClosedPipe else { return status }
            report(error.description)
            return status == .success ? .writeFailed : status
        }
    }

    private func report(_ message: String) {
        guard arguments.tellsErrors else { return }
        console.say("streams: \(message)")
    }

    /// Waits for the transfer's turn if its body is written to standard output.
    private func takeOutput(_ turn: OutputTurn) async {
        if arguments.outputPath == nil { await turn.take() }
    }

    /// Performs the request.
    ///
    /// - Returns: The message of an error, if the response is one.
    private func exchange(
        _ printer: EventPrinter?, _ writeOut: inout WriteOut, _ turn: OutputTurn
    ) async throws(Failure) -> String? {
        var arguments = arguments
        arguments.body = try body.get()
        let request = try arguments.makeRequest()
        try arguments.openHeadOutput()
        let output: (any BodyOutput)?
        do throws(SystemError) {
            output = try arguments.bodyOutput(interruption)
        } catch {
            throw Failure(writing: error)
        }
        let reporter = ProgressReporter(arguments, on: console)
        let log = arguments.makeLog(on: console)
        var delivery = Delivery(
            output: output, printer: printer, heads: arguments.includesHeads ? heads : nil,
            omitsErrorBodies: arguments.omitsErrorBodies, takesRemoteTime: arguments.takesRemoteTime,
            offset: arguments.offset)
        let (response, bodyFailure): (HTTPResponse<Void>, HTTPError?)
        do throws(Failure) {
            (response, bodyFailure) = try await events(of: request, to: &delivery, turn, &writeOut, reporter, log)
        } catch {
            output?.discard()
            reporter?.drop()
            throw error
        }
        // As it was received: the response lacks the fields that describe the encoded form of a decoded body.
        writeOut.response = heads?.last ?? response
        let code = response.status.code
        // The body of a 416 does not matter if the output is complete.
        let (isError, failure) = delivery.isComplete ? (false, nil) : (code >= 400, bodyFailure)
        let message = "the server answered \(code)" + (failure.map { ", and \($0.reason)" } ?? "")
        await takeOutput(turn)
        try delivery.finish(
            response, failure: failure.map { Failure(status: .errorResponse, kind: $0.name, message: message) })
        if let output = output as? NamedOutput { writeOut.outputPath = output.path }
        log?.finished(response, bytes: delivery.bytes)
        return isError ? message : nil
    }

    /// Shows the head of a response of the cache, which the transport does not know.
    private func observeStored(_ head: HTTPResponse<Void>, _ log: RequestLog?) {
        guard let status = head.cacheStatus else { return }
        log?.answered(by: status)
        guard status.isStoredResponse else { return }
        log?.received(head)
        heads?.append(head)
        arguments.headOutput?.append(head)
    }

    /// Passes the events on, up to the end of the request.
    ///
    /// - Returns: The response, and the failure of its body if the response is an error: its status decides even so.
    private func events(
        of request: HTTPRequest, to delivery: inout Delivery, _ turn: OutputTurn, _ writeOut: inout WriteOut,
        _ reporter: ProgressReporter?, _ log: RequestLog?
    ) async throws(Failure) -> (HTTPResponse<Void>, HTTPError?) {
        var response: HTTPResponse<Void>?
        do {
            let client = arguments.makeClient(
                log: log, heads: heads, reportsProgress: reporter != nil, monitor: monitor, transport: transport)
            for try await event in client.events(for: request).values {
                try arguments.headOutput?.flush()
                reporter?.observe(event)
                log?.observe(event)
                if case .head(let head) = event { observeStored(head, log) }
                writeOut.observe(event)
                if case .chunk = event { await takeOutput(turn) }
                try delivery.take(event)
                if case .response(let last) = event { response = last }
            }
            try arguments.headOutput?.finish()
        } catch let failure as Failure {
            throw failure
        } catch let error as SystemError {
            throw Failure(writing: error)
        } catch let error as HTTPError {
            // The failure of the request comes first.
            try? arguments.headOutput?.finish()
            if let signal = interruption.signal { throw Failure(interruptedBy: signal) }
            if let head = delivery.errorHead, error.response == nil { return (head, error) }
            guard let response = error.response else { throw Failure(error) }
            // A response that was to be tried again, and then could not be.
            await takeOutput(turn)
            try delivery.take(response)
            return (response.replacingBody(()), nil)
        } catch {
            throw Failure(interruptedBy: interruption.signal ?? SIGINT)
        }
        guard let response else { throw Failure(interruptedBy: interruption.signal ?? SIGINT) }
        return (response, nil)
    }
}
