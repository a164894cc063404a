import Adapters
import InMemoryLogging
import InMemoryTracing
import Logging
import StreamsHTTP
import StreamsLoopback
import Tracing

func makeClient(baseURL: URL?, logger: Logger, tracer: some Tracer) -> HTTPClient {
    var configuration = HTTPClient.Configuration(baseURL: baseURL)
    let exchangeTracer = ExchangeTracer(tracer)
    configuration.monitors = [SwiftLogMonitor(logger), SwiftMetricsMonitor(), exchangeTracer]
    configuration.interceptors = [exchangeTracer]
    return HTTPClient(configuration: configuration)
}

func checkTogether() async throws {
    let server = try LoopbackServer()
    server.on("GET", "/", .text("ok"))
    let handler = InMemoryLogHandler()
    let tracer = InMemoryTracer()
    let logger = Logger(label: "requests") { _ in handler }
    let client = makeClient(baseURL: URL(string: server.url("")), logger: logger, tracer: tracer)
    try await expect(client.response(for: HTTPRequest(.get, "/")).status, .ok)
    try expect(handler.entries.map(\.level), [.info])
    try expect(tracer.finishedSpans.count, 1)
}
