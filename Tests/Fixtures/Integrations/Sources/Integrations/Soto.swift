import Adapters
import Logging
import NIOCore
import NIOHTTP1
import SotoCore
import StreamsHTTP
import StreamsLoopback

private let megabyte = 1024 * 1024

/// Sends a request as `AWSClient` does.
private func execute(
    _ method: NIOHTTP1.HTTPMethod, _ url: String, headers: NIOHTTP1.HTTPHeaders = [:], body: AWSHTTPBody = .init(),
    timeout: TimeAmount = .seconds(20), by client: HTTPClient = HTTPClient()
) async throws -> AWSHTTPResponse {
    let request = try AWSHTTPRequest(url: unwrap(URL(string: url)), method: method, headers: headers, body: body)
    let logger = Logger(label: "soto") { _ in SwiftLogNoOpLogHandler() }
    return try await SotoHTTPClient(client).execute(request: request, timeout: timeout, logger: logger)
}

func checkSoto() async throws {
    let server = try LoopbackServer(limits: .init(socketBuffers: 64 * 1024))
    server.on("POST", "/", Reply(400, headers: ["Content-Encoding": "gzip"], body: .text(#"{"__type":"Throttling"}"#)))
    let refused = try await execute(
        .POST, server.url("/"), headers: ["x-amz-target": "S.List", "Content-Length": "2"],
        body: AWSHTTPBody(buffer: ByteBuffer(string: "{}")))
    try expect(refused.status, .badRequest)
    try expect(refused.headers["content-encoding"], ["gzip"])
    try await expect(refused.body.collect(upTo: 100), ByteBuffer(string: #"{"__type":"Throttling"}"#))
    try expect(server.requests[0].text, "{}")
    try expect(server.requests[0].headers.values(of: "Content-Length"), ["2"])
    try expect(server.requests[0].headers["x-amz-target"], "S.List")

    // A body in memory can be sent again.
    var configuration = HTTPClient.Configuration()
    configuration.options.retry = RetryPolicy(maxRetries: 1, backoff: .init(initial: .milliseconds(1)))
    configuration.options.retry.methods.insert(.post)
    server.on("POST", "/retried", .status(503), .status(200))
    let retried = try await execute(
        .POST, server.url("/retried"), body: AWSHTTPBody(buffer: ByteBuffer(string: "{}")),
        by: HTTPClient(configuration: configuration))
    try expect(retried.status, .ok)
    try expect(server.requests[2].text, "{}")

    // Both bodies are streamed by demand.
    let gate = Gate()
    server.on("PUT", "/object", intake: .after(gate), .status(204))
    let chunks = CountedChunks(bytes: 32 * megabyte)
    let object = AWSHTTPBody(asyncSequence: chunks.sequence, length: 32 * megabyte)
    async let stored = execute(.PUT, server.url("/object"), body: object)
    try await chunks.waitForBackPressure()
    try expect(chunks.produced < 16 * megabyte, true)
    gate.open()
    try await expect(stored.status, .noContent)
    try expect(server.requests[3].bodyCount, 32 * megabyte)

    server.on("GET", "/object", .generated(32 * megabyte))
    var received = 0
    for try await buffer in try await execute(.GET, server.url("/object")).body {
        if received == 0 { try await server.waitForBackPressure(on: 5) }
        try expect(GeneratedBytes.matches(buffer.readableBytesView, at: received), true)
        received += buffer.readableBytes
    }
    try expect(received, 32 * megabyte)
    _ = try await execute(.GET, server.url("/object"))
    try await server.waitForDisconnection(of: 6)

    let short = AWSHTTPBody(asyncSequence: CountedChunks(bytes: megabyte).sequence, length: 1)
    let mismatch = await failure { try await execute(.PUT, server.url("/object"), body: short) }
    try expect(mismatch as? AWSClient.ClientError, .bodyLengthMismatch)
    server.on("GET", "/silent", .text("late").held(by: Gate()))
    let start = ContinuousClock.now
    let silent = await failure { try await execute(.GET, server.url("/silent"), timeout: .milliseconds(50)) }
    try expect((silent as? HTTPError)?.name, "timeout.idle")
    try expect(ContinuousClock.now - start < .seconds(20), true)
}
