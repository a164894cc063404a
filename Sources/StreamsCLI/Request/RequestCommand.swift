import StreamsHTTP

/// Runs the requests of the command line, one after the other.
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

    /// Performs all requests, also after a failure. The first failure decides how the tool exits.
    private func perform() async -> ExitStatus {
        let transport = SystemTransport()
        let body = Result { () throws(Failure) in try arguments.body?.readingStandardInput() }
        var result = ExitStatus.success
        for transfer in arguments.transfers {
            let status = await perform(transfer, body, transport)
            if let signal = interruption.signal { return .interrupted(by: signal) }
            if result == .success { result = status }
        }
        return result
    }

    private func perform(
        _ transfer: Result<RequestArguments, UsageError>, _ body: Result<BodyArguments?, Failure>,
        _ transport: SystemTransport
    ) async -> ExitStatus {
        switch transfer {
        case .success(let arguments):
            return await RequestTransfer(
                arguments, body: body, transport: transport, console: console, interruption: interruption
            ).perform()
        case .failure(let error):
            if !arguments.isSilent || arguments.showsErrors { console.say("streams: \(error)") }
            return error.status
        }
    }
}
