// swift-distributed-tracing: the end of an exchange's span, for TracingTransport.

import StreamsHTTP
import Synchronization
import Tracing

/// A receiver that records the response or the failure of an exchange in its span.
struct TracingReceiver: TransportReceiver {
    let receiver: any TransportReceiver
    let end: SpanEnd

    func receive(_ event: TransportEvent) {
        switch event {
        case .head(let head): end.span.attributes["http.response.status_code"] = head.status.code
        case .finished: end()
        case .failed(let failure): end(after: failure)
        default: break
        }
        receiver.receive(event)
    }
}

/// An exchange that also ends its span when it is aborted.
struct TracedExchange: TransportExchange {
    let exchange: any TransportExchange
    let end: SpanEnd

    func grant(_ bytes: Int) { exchange.grant(bytes) }

    func abort() {
        exchange.abort()
        end()
    }
}
