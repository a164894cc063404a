import StreamsHTTP

/// Runs the requests of the command line, one after the other.
struct RequestCommand {
    private let transfers: [RequestArguments]
    private let console: Console
    private let interruption = Interruption()

    init(_ transfers: [RequestArguments], console: Console) {
        self.transfers = transfers
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
        let body = Result { () throws(Failure) in try transfers.first?.body?.readingStandardInput() }
        var result = ExitStatus.success
        for arguments in transfers {
            let transfer = RequestTransfer(
                arguments, body: body, transport: transport, console: console, interruption: interruption)
            let status = await transfer.perform()
            if let signal = interruption.signal { return .interrupted(by: signal) }
            if result == .success { result = status }
        }
        return result
    }
}
