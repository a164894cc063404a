// swift-metrics: a monitor that records the durations and sizes of requests, with the names of OpenTelemetry's
// conventions. The dimensions have few values, because backends keep a time series for each combination.

import Metrics
import StreamsHTTP

/// A monitor that records requests with swift-metrics.
public struct SwiftMetricsMonitor: EventMonitor {
    private let factory: any MetricsFactory

    /// Creates a monitor that records to a factory; the bootstrapped one by default.
    public init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.factory = factory
    }

    public func requestEnded(
        _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>, metrics: HTTPRequest.Metrics
    ) {
        var dimensions = [("http.request.method", request.method.rawValue)]
        if case .failure(let error) = completion { dimensions.append(("error.type", error.type)) }
        Timer(label: "http.client.request.duration", dimensions: dimensions, factory: factory)
            .record(duration: metrics.total)
        Counter(label: "http.client.sent", dimensions: dimensions, factory: factory).increment(by: metrics.bytesSent)
        Counter(label: "http.client.received", dimensions: dimensions, factory: factory)
            .increment(by: metrics.bytesReceived)
    }
}

extension HTTPError {
    /// The status of the response, or the kind of the failure.
    fileprivate var type: String {
        status?.description ?? (isTimeout ? "timeout" : isCancellation ? "cancelled" : "failed")
    }
}
