import Adapters
import InMemoryTracing
import StreamsHTTP
import StreamsLoopback
import Tracing

func checkTracing() async throws {
    let server = try LoopbackServer()
    server.on("GET", "/old", .redirect(to: "/new"))
    server.on("GET", "/new", .status(503), .text("ok"))
    server.on("GET", "/stall", .text("x").failing(with: .stall(at: .beforeHead)))
    let tracer = InMemoryTracer()

    var configuration = HTTPClient.Configuration(baseURL: URL(string: server.url("")))
    configuration.options.retry = RetryPolicy(maxRetries: 1, backoff: .init(initial: .milliseconds(1)))
    let exchangeTracer = ExchangeTracer(tracer)
    configuration.interceptors = [exchangeTracer]
    configuration.monitors = [exchangeTracer]
    let client = HTTPClient(configuration: configuration)
    try await tracer.withSpan("caller") { _ in
        _ = try await client.response(for: HTTPRequest(.get, "/old?token=s3cret"))
    }

    let spans = tracer.popFinishedSpans()
    try expect(spans.map(\.operationName), ["GET", "GET", "GET", "GET", "caller"])
    let statuses = spans.dropLast().map { $0.attributes.get("http.response.status_code") }
    try expect(statuses, [302, 503, 302, 200].map { .int64($0) })
    try expect(spans.dropLast().allSatisfy { $0.parentSpanID == spans.last?.spanID && $0.kind == .client }, true)
    try expect(spans[0].attributes.get("url.full"), .string(server.url("/old")))
    try expect(spans[0].attributes.get("server.port"), .int64(Int64(server.port)))
    try expect(spans.map { $0.status?.code == .error }, [false, true, false, false, false])
    let connections = spans.dropLast().map(\.events.first?.name)
    try expect(connections, ["connected"] + Array(repeating: "connection reused", count: 3))
    // The server's spans would be children of the exchanges' spans.
    let sent = server.requests.map { $0.headers[InMemoryTracer.spanIDKey] }
    try expect(sent, spans.dropLast().map(\.spanID))

    let stalled = Task { try await client.response(for: HTTPRequest(.get, "/stall")) }
    try await server.waitForRequests(5)
    stalled.cancel()
    _ = try? await stalled.value
    _ = try? await client.response(for: HTTPRequest(.get, "http://127.0.0.1:1/"))
    try expect(tracer.activeSpans.count, 0)
    try expect(tracer.finishedSpans.last?.attributes.get("error.type"), "connection.refused")
}
