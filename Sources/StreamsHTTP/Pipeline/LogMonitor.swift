/// Puts what happens to requests in lines of text, without credentials.
///
/// ```
/// #1 GET https://api.example.com/user
/// #1 attempt 1
/// #1 head 200
/// #1 finished after 0.042 s: 1 exchange, 183 bytes sent, 2042 received
/// ```
public struct LogMonitor: EventMonitor {
    /// What is worth a line.
    public enum Detail: Hashable, Sendable {
        /// How requests start and end.
        case requests
        /// Also attempts, retries and heads.
        case exchanges
        /// Also progress and chunks.
        case everything
    }

    private let detail: Detail
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - detail: What is worth a line.
    ///   - write: Takes the lines, which have no line break. Called on the threads that carry the events, for several
    ///     requests at once; must be quick.
    public init(_ detail: Detail = .exchanges, write: @escaping @Sendable (String) -> Void) {
        self.detail = detail
        self.write = write
    }

    public func requestStarted(_ request: MonitoredRequest) {
        write("#\(request.id) \(request.method) \(request.url)")
    }

    public func request(_ request: MonitoredRequest, received event: RequestEvent<Data>) {
        guard let text = text(of: event) else { return }
        write("#\(request.id) \(text)")
    }

    public func requestEnded(
        _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>, metrics: RequestMetrics
    ) {
        let exchanges = metrics.attempts + metrics.redirects
        let cost =
            "\(exchanges) exchange\(exchanges == 1 ? "" : "s"), "
            + "\(metrics.bytesSent) bytes sent, \(metrics.bytesReceived) received"
        switch completion {
        case .finished: write("#\(request.id) finished after \(metrics.total.inMilliseconds): \(cost)")
        case .failure(let error):
            write("#\(request.id) failed after \(metrics.total.inMilliseconds): \(error); \(cost)")
        }
    }

    private func text(of event: RequestEvent<Data>) -> String? {
        guard detail != .requests else { return nil }
        switch event {
        case .attempt(let attempt): return "attempt \(attempt.number)"
        case .head(let head): return "head \(head.status.code)"
        case .retrying(let retry): return "again in \(retry.delay.inMilliseconds): \(retry.error.reason.label)"
        case .uploadProgress(let progress): return detail == .everything ? "sent \(progress.completed)" : nil
        case .downloadProgress(let progress): return detail == .everything ? "received \(progress.completed)" : nil
        case .chunk(let chunk): return detail == .everything ? "chunk of \(chunk.count) bytes" : nil
        // The end is told with its cost.
        case .response: return nil
        }
    }
}

extension Duration {
    /// In seconds, to the millisecond.
    fileprivate var inMilliseconds: String {
        let milliseconds = Int64(self / .milliseconds(1))
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) s"
    }
}
