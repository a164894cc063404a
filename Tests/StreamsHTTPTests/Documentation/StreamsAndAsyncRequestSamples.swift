import StreamsHTTP
import StreamsHTTPTesting
import Testing

/// The sample with a request in the article "Streams and async code". The others are in the tests of the core.
@Suite struct StreamsAndAsyncRequestSamples {
    private let mock = MockTransport()
    private var client: HTTPClient {
        HTTPClient(configuration: .init(baseURL: URL(string: "https://api.example.com")), transport: mock)
    }

    private func download(_ request: HTTPRequest) async throws(HTTPError) -> Data {
        var body = Data()
        for try await event in client.events(for: request).values {
            if case .chunk(let chunk) = event { body += chunk }
        }
        return body  // complete: a cancellation throws
    }

    @Test func downloadsACompleteBody() async throws {
        mock.on(.get, "/file", MockResponse(chunks: [Data("one ".utf8), Data("two ".utf8), Data("three".utf8)]))
        #expect(try await download(HTTPRequest(.get, "/file")) == Data("one two three".utf8))
    }
}
