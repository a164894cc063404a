import StreamsHTTP
import Synchronization

/// A monitor that keeps the metrics of the one request.
final class MetricsMonitor: EventMonitor {
    private let latest = Mutex<HTTPRequest.Metrics?>(nil)

    /// The metrics; `nil` before the end of the request.
    var metrics: HTTPRequest.Metrics? { latest.withLock { $0 } }

    func requestEnded(
        _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>, metrics: HTTPRequest.Metrics
    ) {
        latest.withLock { $0 = metrics }
    }
}
