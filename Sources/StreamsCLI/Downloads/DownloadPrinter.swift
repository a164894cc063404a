import StreamsHTTP

/// Prints the events of downloads: as lines of JSON, or what is out of the ordinary in the log.
struct DownloadPrinter {
    let descriptor: Descriptor
    let printsEvents: Bool
    /// The log of `-v`; `nil` for none.
    let log: Console?

    func print(_ event: Download.Event, _ item: DownloadItem) throws(SystemError) {
        switch event {
        case .resuming(let offset):
            log?.say("* \(item.path): resuming after \(offset) bytes")
            try print("resuming", item) { $0.add("from", offset) }
        case .startingOver(let reason):
            log?.say("* \(item.path): starting over: \(reason.rawValue)")
            try print("starting-over", item) { $0.add("reason", reason.rawValue) }
        case .progress(let progress):
            try print("download", item) { line in
                line.add("received", progress.completed)
                line.add("total", progress.total)
            }
        case .retrying(let retry):
            log?.say("* \(item.path): trying again in \(retry.delay.rounded): \(retry.error)")
            try print("retry", item) { line in
                line.add("after", retry.delay)
                line.add("kind", retry.error.name)
                line.add("reason", String(describing: retry.error))
            }
        case .finished(let file):
            let note = file.wasComplete ? "; the file was complete" : ""
            log?.say("* \(item.path): \(file.size) bytes, \(file.receivedBytes) of them received\(note)")
            try print("finished", item) { line in
                line.add("bytes", file.size)
                line.add("received", file.receivedBytes)
                if file.wasComplete { line.add("complete", true) }
            }
        }
    }

    func failed(_ failure: Failure, _ item: DownloadItem) throws(SystemError) {
        try print("failed", item) { $0.add(failure) }
    }

    private func print(
        _ event: String, _ item: DownloadItem, _ addMembers: (inout JSONLine) -> Void
    ) throws(SystemError) {
        guard printsEvents else { return }
        var line = JSONLine(event: event)
        line.add("file", item.path)
        addMembers(&line)
        try descriptor.writeAll(line.data)
    }
}
