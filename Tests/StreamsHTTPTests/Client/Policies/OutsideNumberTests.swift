import StreamsHTTP
import StreamsLoopback
import Testing

/// No number of a server stops the program.
@Suite(.reservesDescriptors) struct OutsideNumberTests {
    @Test(arguments: [
        "9223372036854775807", "9223372036854775", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT",
    ])
    func survivesLongRetryAfter(value: String) async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", .status(503, headers: ["Retry-After": value]))
        let lines = Watched<[String]>([])
        var retry = RetryPolicy(maxRetries: 1)
        retry.maxServerDelay = .seconds(Int64.max)
        let options = RequestOptions.with { $0.retry = retry }
        let client = server.client(options: options).configuring {
            $0.monitors = [LogMonitor { line in lines.update { $0.append(line) } }]
        }
        async let failed = failure { () throws(HTTPError) in try await client.response(for: HTTPRequest(.get, "/")) }
        _ = try await lines.wait(for: "the retry") { $0.contains { $0.contains(" the next begins in ") } }
        client.cancelAll()
        #expect(try await failed.isCancellation)
        #expect(server.requests.count == 1)
    }
}
