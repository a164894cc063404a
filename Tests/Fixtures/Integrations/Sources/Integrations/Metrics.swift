import Adapters
import MetricsTestKit
import StreamsHTTP
import StreamsLoopback

func checkMetrics() async throws {
    let server = try LoopbackServer()
    server.on("GET", "/", .text("ok"))
    let metrics = TestMetrics()

    var configuration = HTTPClient.Configuration(baseURL: URL(string: server.url("")))
    configuration.monitors = [SwiftMetricsMonitor(factory: metrics)]
    let client = HTTPClient(configuration: configuration)
    _ = try await client.response(for: HTTPRequest(.get, "/"))
    _ = try await client.response(for: HTTPRequest(.get, "/"))
    _ = try? await client.response(for: HTTPRequest(.get, "/missing"))

    let method = ("http.request.method", "GET")
    try expect(metrics.expectTimer("http.client.request.duration", [method]).values.count, 2)
    let failed = try metrics.expectTimer("http.client.request.duration", [method, ("error.type", "404")])
    try expect(failed.values.count, 1)
    try expect(metrics.expectCounter("http.client.received", [method]).totalValue > 4, true)
    try expect(metrics.expectCounter("http.client.sent", [method]).totalValue > 0, true)

    SnapshotGauges(factory: metrics).record(client.snapshot)
    let origin = ("server.address", "http://127.0.0.1:\(server.port)")
    let idle = try metrics.expectGauge("http.client.open_connections", [origin, ("http.connection.state", "idle")])
    let active = try metrics.expectGauge("http.client.open_connections", [origin, ("http.connection.state", "active")])
    try expect(idle.values + active.values == [1, 0] || idle.values + active.values == [0, 1], true)
    try expect(metrics.expectGauge("http.client.queued_requests").values, [0])
}
