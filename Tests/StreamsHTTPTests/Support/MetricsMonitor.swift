import StreamsHTTP

/// Records the metrics of requests.
final class MetricsMonitor: EventMonitor {
    let metrics = Watched<[HTTPRequest.Metrics]>([])

    func requestEnded(
        _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>, metrics: HTTPRequest.Metrics
    ) {
        self.metrics.update { $0.append(metrics) }
    }
}
