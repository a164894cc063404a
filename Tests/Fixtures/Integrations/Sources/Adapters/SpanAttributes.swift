// swift-distributed-tracing: the attributes and events of the spans of ExchangeTracer, with the names of
// OpenTelemetry's conventions for HTTP clients.

import StreamsHTTP
import Tracing

extension SpanAttributes {
    /// Sets the attributes of a request, without its query and credentials, which may be secret.
    mutating func describe(_ request: TransportRequest) {
        let url = request.url
        let authority = (url.host() ?? "") + (url.port.map { ":\($0)" } ?? "")
        self["http.request.method"] = request.method.rawValue
        self["server.address"] = url.host()
        self["server.port"] = url.port ?? (url.scheme == "http" ? 80 : 443)
        self["url.full"] = "\(url.scheme ?? "")://\(authority)\(url.path())"
    }
}

extension Span {
    /// Records a stage of the exchange that the span is for.
    func record(_ stage: MonitoredRequest.Stage) {
        switch stage {
        case .started: break
        case .connected(let isReused, let address):
            attributes["network.peer.address"] = address
            addEvent(SpanEvent(name: isReused ? "connection reused" : "connected"))
        case .head(let head):
            attributes["http.response.status_code"] = head.status.code
            if head.status.code >= 400 { fail("\(head.status.code)") }
        case .ended(let failure?): fail(failure.name)
        case .ended(nil): break
        }
    }

    private func fail(_ type: String) {
        attributes["error.type"] = type
        setStatus(SpanStatus(code: .error))
    }
}
