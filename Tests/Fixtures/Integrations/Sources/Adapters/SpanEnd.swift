// swift-distributed-tracing: ends an exchange's span exactly once, for TracingTransport.

import StreamsHTTP
import Synchronization
import Tracing

/// The end of a span. A span must end once, and an exchange may be aborted while it finishes.
final class SpanEnd: Sendable {
    let span: any Span
    private let hasEnded = Atomic(false)

    init(_ span: any Span) {
        self.span = span
    }

    func callAsFunction(after failure: TransportFailure? = nil) {
        guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let status = span.attributes.get("http.response.status_code")
        if let failure {
            span.attributes["error.type"] = failure.underlying.map { "\($0.domain) \($0.code)" } ?? "failed"
            span.setStatus(SpanStatus(code: .error))
            span.recordError(failure)
        } else if case .int64(let code) = status, code >= 400 {
            span.attributes["error.type"] = "\(code)"
            span.setStatus(SpanStatus(code: .error))
        }
        span.end()
    }
}
