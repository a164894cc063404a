import Adapters
import Smithy
import SmithyHTTPAPI
import StreamsHTTP
import StreamsLoopback

private let megabyte = 1024 * 1024

/// A stream of chunks, which is sent.
private final class UploadStream: Smithy.Stream {
    let chunks: CountedChunks
    let length: Int? = nil
    let isEmpty = false
    let isSeekable = false
    let position = 0

    init(_ chunks: CountedChunks) { self.chunks = chunks }

    func readAsync(upToCount count: Int) async throws -> Data? { chunks.next().map { Data($0) } }
    func readToEndAsync() async throws -> Data? { nil }
    func read(upToCount count: Int) throws -> Data? { nil }
    func readToEnd() throws -> Data? { nil }
    func write(contentsOf data: Data) throws {}
    func close() {}
    func closeWithError(_ error: any Error) {}
}

func checkSmithy() async throws {
    let server = try LoopbackServer(limits: .init(socketBuffers: 64 * 1024))
    let client = SmithyHTTPClient(StreamsHTTP.HTTPClient())
    func send(
        _ method: HTTPMethodType, _ path: String, _ fields: [String: String] = [:], _ body: ByteStream = .noStream
    ) async throws -> SmithyHTTPAPI.HTTPResponse {
        let uri = URIBuilder().withScheme(.http).withHost("127.0.0.1").withPort(UInt16(server.port)).withPath(path)
        var headers = Headers()
        for (name, value) in fields { headers.add(name: name, value: value) }
        return try await client.send(
            request: SmithyHTTPAPI.HTTPRequest(method: method, uri: uri.build(), headers: headers, body: body))
    }

    server.on(
        "PUT", "/table", Reply(430, headers: ["Content-Encoding": "gzip"], body: .text(#"{"__type":"Throttling"}"#)))
    let refused = try await send(.put, "/table", ["Content-Length": "2"], .data(Data("{}".utf8)))
    try expect(refused.statusCode, .badRequest)
    try expect(refused.headers.value(for: "Content-Encoding"), "gzip")
    try await expect(refused.body.readData(), Data(#"{"__type":"Throttling"}"#.utf8))
    try expect(server.requests[0].text, "{}")

    // Both bodies are streamed by demand.
    let gate = Gate()
    server.on("PUT", "/object", intake: .after(gate), .status(204))
    let chunks = CountedChunks(bytes: 32 * megabyte)
    async let stored = send(.put, "/object", ["Transfer-Encoding": "chunked"], .stream(UploadStream(chunks)))
    try await chunks.waitForBackPressure()
    try expect(chunks.produced < 16 * megabyte, true)
    gate.open()
    try await expect(stored.statusCode, .noContent)
    try expect(server.requests[1].bodyCount, 32 * megabyte)

    server.on("GET", "/object", .generated(32 * megabyte))
    guard case .stream(let stream) = try await send(.get, "/object").body else {
        throw Unexpected(description: "the body is no stream")
    }
    while let data = try await stream.readAsync(upToCount: 10_000) {
        if stream.position == data.count { try await server.waitForBackPressure(on: 3) }
        try expect(data.count <= 10_000, true)
        try expect(GeneratedBytes.matches(data, at: stream.position - data.count), true)
    }
    try expect(stream.position, 32 * megabyte)
    _ = try await send(.get, "/object")
    try await server.waitForDisconnection(of: 4)

    server.stop()
    let error = await failure { try await send(.get, "/object") }
    try expect((error as? HTTPError)?.name, "connection.refused")
}
