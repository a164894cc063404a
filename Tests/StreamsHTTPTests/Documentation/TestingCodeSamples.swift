import StreamsHTTP
import StreamsHTTPTesting
import Testing

/// The sample of the article "Testing".
@Suite struct TestingCodeSamples {
    @Test func answersFromRoutes() async throws {
        let mock = MockTransport()
        mock.on(.get, "/status", .failure(.connection(.refused)), .text("ready"))
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"))
        configuration.options.retry = .init(maxRetries: 1, backoff: .init(initial: .zero))
        let client = HTTPClient(configuration: configuration, transport: mock)

        let status = try await client.value(for: HTTPRequest(.get, "/status").decoding(String.self))

        #expect(status == "ready" && mock.requests.count == 2)
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/TestingCode.md")
        #expect(article.samples.count == 1)
        try article.expectAll()
    }
}
