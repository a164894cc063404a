import StreamsHTTP

/// Runs the requests of the command line, one after the other or several at a time.
struct RequestCommand {
    /// The number of requests of `-Z` at a time; the same as curl's.
    private static let maxParallel = 50

    private let requests: [RequestArguments]
    private let console: Console
    private let interruption = Interruption()
    private let transport = SystemTransport()
    private let outputQueue = OutputQueue()

    init(_ requests: [RequestArguments], console: Console) {
        self.requests = requests
        self.console = console
    }

    func run() async -> ExitStatus {
        let work = Task { await perform() }
        interruption.onSignal { work.cancel() }
        return await work.value
    }

    /// Performs all requests, also after a failure unless `--fail-early` ends them. The first failure, in the order of the URLs, decides how the tool
    /// exits.
    private func perform() async -> ExitStatus {
        let bodies = requests.map { request in
            Result { () throws(Failure) in try request.body?.readingStandardInput() }
        }
        let transfers = zip(requests, bodies).lazy.flatMap { request, body in
            request.transfers.lazy.map { (arguments: $0, body: body) }
        }
        let isParallel = requests.contains { $0.isParallel }
        let limit = isParallel ? requests.lazy.compactMap(\.maxParallel).first ?? Self.maxParallel : 1
        let endsAtFailure = requests.contains { $0.endsAtFailure }
        var failure: (place: Int, status: ExitStatus)?
        await transfers.performEach(atMost: limit) { transfer in
            await perform(transfer.arguments, transfer.body)
        } ended: { place, status in
            if status != .success, failure.map({ place < $0.place }) ?? true { failure = (place, status) }
            return status == .success || !endsAtFailure
        }
        if let signal = interruption.signal { return .interrupted(by: signal) }
        return failure?.status ?? .success
    }

    private func perform(
        _ transfer: Result<RequestArguments, UsageError>, _ body: Result<BodyArguments?, Failure>
    ) async -> ExitStatus {
        switch transfer {
        case .success(let arguments):
            return await RequestTransfer(
                arguments, body: body, transport: transport, console: console, interruption: interruption,
                outputQueue: outputQueue
            ).perform()
        case .failure(let error):
            if requests.contains(where: \.tellsErrors) { console.say("streams: \(error)") }
            return error.status
        }
    }
}
