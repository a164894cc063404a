import Adapters
import InMemoryLogging
import Logging
import StreamsHTTP
import StreamsLoopback

func checkLogging() async throws {
    let server = try LoopbackServer()
    server.on("GET", "/flaky", .status(503), .text("ok"))
    let handler = InMemoryLogHandler()
    var logger = Logger(label: "requests") { _ in handler }
    logger.logLevel = .debug

    var configuration = HTTPClient.Configuration(baseURL: URL(string: server.url("")))
    configuration.options.retry = RetryPolicy(maxRetries: 1, backoff: .init(initial: .milliseconds(1)))
    configuration.monitors = [SwiftLogMonitor(logger)]
    let client = HTTPClient(configuration: configuration)
    _ = try await client.response(for: HTTPRequest(.get, "/flaky?token=s3cret"))
    _ = try? await client.response(for: HTTPRequest(.get, "/missing"))

    let entries = handler.entries
    try expect(entries.map(\.level), [.debug, .notice, .info, .debug, .error])
    try expect(entries[2].metadata["attempts"], "2")
    try expect(entries.allSatisfy { $0.metadata["method"] == "GET" }, true)
    try expect(entries.contains { "\($0.message) \($0.metadata)".contains("s3cret") }, false)
}
