// swift-distributed-tracing: header fields as the carrier of a context. ExchangeTracer needs it.

import Instrumentation
import StreamsHTTP

/// An injector of the context of a span into header fields.
struct HeaderCarrier: Injector {
    func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) { headers.set(key, value) }
}
