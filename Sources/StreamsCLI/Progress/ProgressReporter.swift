import StreamsHTTP

/// Shows the progress of a request, from its events.
struct ProgressReporter {
    private let display: ProgressDisplay

    /// Creates a reporter; `nil` if no progress is to be shown.
    init?(_ arguments: RequestArguments, on console: Console) {
        // A terminal has one line for the progress.
        guard !arguments.isParallel,
            let display = ProgressDisplay(arguments, writesToFiles: arguments.outputPath != nil, on: console)
        else {
            return nil
        }
        self.display = display
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

    /// Ends the display of a request that failed.
    func drop() {
        display.drop()
    }
}

extension ProgressDisplay {
    /// Creates a display; `nil` if no progress is to be shown.
    ///
    /// - Parameters:
    ///   - arguments: The options of the command line.
    ///   - writesToFiles: Whether bodies are written to files instead of standard output.
    ///   - console: The console to show it on.
    convenience init?(_ arguments: RequestArguments, writesToFiles: Bool, on console: Console) {
        guard !arguments.isSilent else { return nil }
        let mixes = (!writesToFiles || arguments.printsEvents) && Descriptor.standardOutput.isTerminal
        let isShown =
            switch arguments.progress {
            case .never: false
            case .always: true
            case .bar: !mixes
            case .auto: console.isTerminal && !mixes
            }
        guard isShown else { return nil }
        self.init(on: console, summarisesAll: arguments.progress != .auto)
    }
}
