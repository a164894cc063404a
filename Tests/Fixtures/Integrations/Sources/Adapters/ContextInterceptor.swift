// swift-distributed-tracing: passes the caller's context on with each request, so that the server's spans, or those of
// TracingTransport, belong to the caller's trace. Interceptors have the caller's task-local values; transports do not.

import Instrumentation
import StreamsHTTP

/// An interceptor that adds the current context to the header fields of each request.
public struct ContextInterceptor: Interceptor {
    private let instrument: any Instrument

    /// Creates an interceptor that writes the context with an instrument, such as a tracer.
    public init(_ instrument: any Instrument) {
        self.instrument = instrument
    }

    public func adapt(_ request: TransportRequest, _ context: RequestContext) -> TransportRequest {
        guard let current = ServiceContext.current else { return request }
        var request = request
        instrument.inject(current, into: &request.headers, using: HeaderCarrier())
        return request
    }
}

/// Header fields as the carrier of a context.
struct HeaderCarrier: Injector, Extractor {
    func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) { headers.set(key, value) }

    func extract(key: String, from headers: HTTPHeaders) -> String? { headers[key] }
}
