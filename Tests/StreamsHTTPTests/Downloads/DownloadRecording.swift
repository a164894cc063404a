import StreamsHTTP

typealias DownloadRecorder = StreamRecorder<DownloadRecording>

/// The events of a download.
struct DownloadRecording: StreamRecording {
    private(set) var events: [Download.Event] = []
    var signals = SignalLog()

    var file: Download.File? {
        if case .finished(let file) = events.last { file } else { nil }
    }

    var progress: [TransferProgress] {
        events.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
    }

    /// The events by their names, with runs of progress shortened.
    var outline: [String] {
        events.reduce(into: []) { outline, event in
            switch event {
            case .resuming(let offset): outline.append("resuming \(offset)")
            case .startingOver(let reason): outline.append("over: \(reason.rawValue)")
            case .progress: if outline.last != "progress" { outline.append("progress") }
            case .retrying(let retry): outline.append("retrying: \(retry.error.name)")
            case .finished: outline.append("finished")
            }
        }
    }

    mutating func accept(_ event: Download.Event) {
        if file != nil { signals.violations.append("an event after the file") }
        events.append(event)
    }

    mutating func complete(_ completion: Subscribers.Completion<HTTPError>) {
        // The grammar of `Download.Event`, with runs of progress shortened.
        let grammar =
            #/
            ((over:[^,]*,|resuming[^,]*,)?(progress,)?retrying[^,]*,)*
            (over:[^,]*,|resuming[^,]*,)?(progress,)?(finished,)?
            /#
        let outline = outline.map { "\($0)," }.joined()
        if outline.wholeMatch(of: grammar) == nil { signals.violations.append("the order \(outline)") }
        if (file != nil) != (failure == nil) { signals.violations.append("\(completion) after \(outline)") }
    }
}
