import StreamsHTTP

/// Shows the progress of all downloads together.
struct DownloadDisplay {
    private let display: ProgressDisplay

    /// Creates a display; `nil` if no progress is to be shown.
    init?(_ arguments: RequestArguments, on console: Console) {
        guard let display = ProgressDisplay(arguments, writesToFiles: true, on: console) else { return nil }
        self.display = display
        display.begin("download")
    }

    func update(_ progress: TransferProgress) {
        display.update(progress)
    }

    /// Counts bytes that an earlier run has left, which are not part of the rate.
    func resume(_ bytes: Int64) {
        display.resume(bytes)
    }

    func end(isComplete: Bool) {
        if isComplete { display.finish() } else { display.drop() }
    }
}
