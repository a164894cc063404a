// swift-distributed-tracing: header fields as the carrier of a context.

import Instrumentation
import StreamsHTTP

struct HeaderCarrier: Injector {
    func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) { headers.set(key, value) }
}
