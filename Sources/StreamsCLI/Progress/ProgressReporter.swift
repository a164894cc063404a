import StreamsHTTP

/// Shows the progress among a request's events.
struct ProgressReporter {
    private let display: ProgressDisplay

    /// - Returns: `nil` where no progress is wanted.
    init?(_ arguments: RequestArguments, on console: Console) {
        switch arguments.progress {
        case .never:
            return nil
        case .always:
            break
        case .auto:
            let mixes = (arguments.outputPath == nil || arguments.printsEvents) && Descriptor.standardOutput.isTerminal
            guard console.isTerminal, !mixes else { return nil }
        }
        display = ProgressDisplay(on: console, summarisesAll: arguments.progress == .always)
    }

    func observe(_ event: RequestEvent<Void>) {
        switch event {
        case .attempt:
            display.begin("upload")
        case .uploadProgress(let progress), .downloadProgress(let progress):
            display.update(progress)
        case .head:
            display.finish()
            display.begin("download")
        case .response:
            display.finish()
        case .retrying:
            display.drop()
        case .chunk:
            break
        }
    }

    /// The request failed.
    func drop() {
        display.drop()
    }
}
