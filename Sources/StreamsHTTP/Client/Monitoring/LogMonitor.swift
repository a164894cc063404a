/// A monitor that writes the events of requests as lines of text, without the secrets of the client's
/// ``HTTPClient/Configuration/redaction``. Control characters are escaped.
///
/// ```
/// #1 GET https://api.example.com/user
/// #1 attempt 1
/// #1 head 200
/// #1 finished after 0.042 s: 1 exchange, 183 bytes sent, 2042 received
/// ```
public struct LogMonitor: EventMonitor {
    /// The level of detail.
    public enum Detail: Hashable, Sendable {
        /// The starts and ends of requests.
        case requests
        /// Also attempts, retries and heads.
        case exchanges
        /// Also progress and chunks.
        case everything
    }

    private let detail: Detail
    private let write: @Sendable (String) -> Void

    /// Creates a monitor.
    ///
    /// - Parameters:
    ///   - detail: The level of detail.
    ///   - write: Receives the lines, which have no line break. Called on the threads that deliver the events, possibly
    ///     for several requests at once; must return quickly.
    public init(_ detail: Detail = .exchanges, write: @escaping @Sendable (String) -> Void) {
        self.detail = detail
        self.write = write
    }

    public func requestStarted(_ request: MonitoredRequest) {
        write("#\(request.id) \(request.method) \(request.url)".printable)
    }

    public func request(_ request: MonitoredRequest, received event: RequestEvent<Data>) {
        guard let text = text(of: event) else { return }
        write("#\(request.id) \(text)")
    }

    public func requestEnded(
        _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>, metrics: HTTPRequest.Metrics
    ) {
        let exchanges = metrics.attempts + metrics.redirects
        let hedges = metrics.hedges == 0 ? "" : " and \(metrics.hedges) hedge\(metrics.hedges == 1 ? "" : "s")"
        let cost =
            "\(exchanges) exchange\(exchanges == 1 ? "" : "s")\(hedges)\(metrics.bytesText)\(metrics.waits.text)"
        switch completion {
        case .finished: write("#\(request.id) finished after \(metrics.total.inMilliseconds): \(cost)")
        case .failure(let error) where error.isCancellation:
            write("#\(request.id) cancelled after \(metrics.total.inMilliseconds): \(cost)")
        case .failure(let error):
            write("#\(request.id) failed after \(metrics.total.inMilliseconds): \(error); \(cost)")
        }
    }

    private func text(of event: RequestEvent<Data>) -> String? {
        guard detail != .requests else { return nil }
        switch event {
        case .attempt(let attempt): return "attempt \(attempt.number)"
        case .head(let head): return "head \(head.status.code)"
        case .retrying(let retry):
            let failure = "attempt \(retry.error.attempt) failed: \(retry.error.reason)".printable
            return "\(failure); the next begins in \(retry.delay.inMilliseconds)"
        case .uploadProgress(let progress): return detail == .everything ? "sent \(progress.text)" : nil
        case .downloadProgress(let progress): return detail == .everything ? "received \(progress.text)" : nil
        case .chunk(let chunk): return detail == .everything ? "chunk of \(chunk.count) bytes" : nil
        // The end has a line of its own, with the metrics.
        case .response: return nil
        }
    }
}

extension TransferProgress {
    /// The transferred bytes, and the total if it is known.
    fileprivate var text: String { total.map { "\(completed) of \($0) bytes" } ?? "\(completed) bytes" }
}

extension HTTPRequest.Metrics {
    /// The bytes on the wire, as far as they have been measured. Those of an aborted exchange often have not.
    fileprivate var bytesText: String {
        let isMeasured = exchanges.allSatisfy { $0.measured != nil }
        guard isMeasured || bytesSent > 0 else { return "" }
        return ", \(isMeasured ? "" : "at least ")\(bytesSent) bytes sent, \(bytesReceived) received"
    }
}

extension HTTPRequest.Metrics.Waits {
    /// The waits that are not zero.
    fileprivate var text: String {
        [("the rate limit", rateLimit), ("a place", concurrency)].filter { $0.1 > .zero }
            .map { ", waited \($0.1.inMilliseconds) for \($0.0)" }.joined()
    }
}

extension Duration {
    /// The duration in seconds, with three decimals.
    var inMilliseconds: String {
        // A delay may be any duration, so its milliseconds may exceed every integer.
        let (seconds, attoseconds) = max(self, .zero).components
        let fraction = String(attoseconds / 1_000_000_000_000_000)
        return "\(seconds).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) s"
    }
}
