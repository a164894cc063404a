import StreamsHTTP

/// Downloads files from the command line: several at a time, with one progress.
struct DownloadCommand {
    /// The number of downloads at a time.
    private static let maxParallel = 4

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
        let requests: [(DownloadItem, HTTPRequest)]
        do {
            requests = try arguments.downloadItems().map { item in
                var arguments = arguments
                arguments.url = item.url
                return (item, try arguments.makeRequest())
            }
        } catch {
            console.say("streams: \(error)")
            return .usage
        }
        do throws(Failure) {
            try arguments.openHeadOutput()
        } catch {
            if arguments.tellsErrors { console.say("streams: \(error.message)") }
            return error.status
        }
        let display = DownloadDisplay(arguments, on: console)
        let printer = DownloadPrinter(
            descriptor: .standardOutput, printsEvents: arguments.printsEvents,
            log: arguments.isVerbose ? console : nil)
        // The mask can only be read by setting it.
        let mask = umask(0o077)
        umask(mask)
        let group = ProgressGroup()
        group.expect(requests.count)
        let subscription = group.publisher.sink { display?.update($0.transfer) }
        defer { subscription.cancel() }
        let log = arguments.makeLog(on: console)
        let client = arguments.makeClient(log: log, reportsProgress: display != nil)
        var failures = [Failure?](repeating: nil, count: requests.count)
        await requests.performEach(atMost: arguments.maxParallel ?? Self.maxParallel) { item, request -> Failure? in
            do throws(Failure) {
                let permissions = Self.permissions(of: item.path, mask: mask)
                try await download(item, request, permissions, client, group, display, printer)
                return nil
            } catch {
                return error
            }
        } ended: { place, failure in
            failures[place] = failure
            return true
        }
        // The failure of a download comes first.
        try? arguments.headOutput?.finish()
        display?.end(isComplete: failures.allSatisfy { $0 == nil })
        for case let (index, failure?) in failures.enumerated() {
            // If the reader has closed its end, the event cannot be delivered.
            try? printer.failed(failure, requests[index].0)
            if arguments.tellsErrors { console.say("streams: \(failure.message)") }
        }
        if let failure = failures.lazy.compactMap(\.self).first { return failure.status }
        // Downloads that were not begun have no failure of their own.
        return interruption.signal.map { .interrupted(by: $0) } ?? .success
    }

    private func download(
        _ item: DownloadItem, _ request: HTTPRequest, _ permissions: Int, _ client: HTTPClient,
        _ group: ProgressGroup, _ display: DownloadDisplay?, _ printer: DownloadPrinter
    ) async throws(Failure) {
        var request = request
        request.options.validation = .successOnly
        if arguments.createsFolders {
            do throws(SystemError) {
                try item.path.createFolders()
            } catch {
                throw Failure(writing: error)
            }
        }
        var options = DownloadOptions(checksum: item.checksum)
        options.permissions = permissions
        let download = client.download(for: request, to: item.path, options: options).tracking(in: group)
        do {
            for try await event in download.values {
                try arguments.headOutput?.flush()
                if case .resuming(let offset) = event { display?.resume(offset) }
                try print { () throws(SystemError) in try printer.print(event, item) }
            }
        } catch let error as SystemError {
            throw Failure(writing: error)
        } catch let error as HTTPError {
            if let signal = interruption.signal { throw Failure(interruptedBy: signal) }
            throw Failure(error)
        } catch {
            throw Failure(interruptedBy: interruption.signal ?? SIGINT)
        }
    }

    /// Prints an event. If the reader of the events has closed its end, the files are downloaded even so.
    private func print(_ event: () throws(SystemError) -> Void) throws(SystemError) {
        do throws(SystemError) {
            try event()
        } catch {
            guard error.isClosedPipe else { throw error }
        }
    }

    /// Returns the permissions of a file that is replaced, or those that a new one usually gets.
    private static func permissions(of path: String, mask: mode_t) -> Int {
        var status = stat()
        return Int(stat(path, &status) == 0 ? status.st_mode & 0o777 : 0o666 & ~mask)
    }
}
