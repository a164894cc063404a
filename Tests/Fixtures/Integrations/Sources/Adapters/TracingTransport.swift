// swift-distributed-tracing: a span for each exchange, redirects and retries included, with the attributes of
// OpenTelemetry's conventions for HTTP clients. With a ContextInterceptor, the spans are children of the caller's span.

import StreamsHTTP
import Tracing

/// A transport that starts a span for each exchange, and sends the span's context to the server.
public struct TracingTransport<T: Tracer>: HTTPTransport {
    private let transport: any HTTPTransport
    private let tracer: T

    /// Creates a transport that traces the exchanges of another one.
    public init(_ transport: any HTTPTransport, tracer: T) {
        self.transport = transport
        self.tracer = tracer
    }

    public func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        var request = request
        var context = ServiceContext.topLevel
        tracer.extract(request.headers, into: &context, using: HeaderCarrier())
        let span = tracer.startSpan(request.method.rawValue, context: context, ofKind: .client)
        let url = request.url
        let authority = (url.host() ?? "") + (url.port.map { ":\($0)" } ?? "")
        span.attributes["http.request.method"] = request.method.rawValue
        span.attributes["server.address"] = url.host()
        span.attributes["server.port"] = url.port ?? (url.scheme == "http" ? 80 : 443)
        // Without the query and credentials, which may be secret.
        span.attributes["url.full"] = "\(url.scheme ?? "")://\(authority)\(url.path())"
        tracer.inject(span.context, into: &request.headers, using: HeaderCarrier())
        let end = SpanEnd(span)
        let exchange = transport.start(request, delivering: TracingReceiver(receiver: receiver, end: end))
        return TracedExchange(exchange: exchange, end: end)
    }
}
