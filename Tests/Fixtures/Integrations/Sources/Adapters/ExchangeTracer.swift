// swift-distributed-tracing: a span for each exchange, redirects and retries included, with the attributes of
// OpenTelemetry's conventions for HTTP clients. The spans are children of the span of the task that made the request.

import StreamsHTTP
import Synchronization
import Tracing

/// An interceptor that starts a span for each exchange and sends its context to the server, and a monitor that ends it.
/// Add it to a client's interceptors, as the last one, and to its monitors.
public final class ExchangeTracer<T: Tracer>: Interceptor, EventMonitor {
    private let tracer: T
    /// The spans of the exchanges under way, by the numbers of their requests.
    private let spans = Mutex<[Int: T.Span]>([:])

    public init(_ tracer: T) { self.tracer = tracer }

    public func adapt(_ request: TransportRequest, _ context: HTTPRequest.Context) -> TransportRequest {
        let span = tracer.startSpan(request.method.rawValue, ofKind: .client)
        span.attributes.describe(request)
        // The span of an exchange that was never started has not ended.
        spans.withLock { $0.updateValue(span, forKey: context.id) }?.end()
        var request = request
        tracer.inject(span.context, into: &request.headers, using: HeaderCarrier())
        return request
    }

    public func request(
        _ request: MonitoredRequest, exchange: HTTPRequest.Metrics.Exchange, reached stage: MonitoredRequest.Stage
    ) {
        guard let span = spans.withLock({ $0[request.id] }) else { return }
        span.record(stage)
        if case .ended = stage { spans.withLock { $0.removeValue(forKey: request.id) }?.end() }
    }

    public func requestEnded(
        _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>, metrics: HTTPRequest.Metrics
    ) {
        spans.withLock { $0.removeValue(forKey: request.id) }?.end()
    }
}
