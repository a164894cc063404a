import StreamsHTTP
import StreamsHTTPTesting
import Synchronization
import Testing

/// The samples of the article "Architecture".
@Suite struct ArchitectureSamples {
    struct ZoneTransport: HTTPTransport {
        let base: any HTTPTransport
        let zone: String

        func start(_ request: TransportRequest, delivering receiver: any TransportReceiver) -> any TransportExchange {
            var request = request
            request.headers.set("X-Zone", zone)
            return base.start(request, delivering: receiver)
        }
    }

    struct Fallback: Interceptor {
        func recover(from error: HTTPError, _ context: HTTPRequest.Context) async -> HTTPResponse<Data>? {
            guard error.status == .serviceUnavailable else { return nil }
            return HTTPResponse(status: .ok, body: Data("[]".utf8), url: context.request.url)
        }
    }

    final class FailureCounter: EventMonitor {
        private let failures = Mutex(0)

        var count: Int { failures.withLock { $0 } }

        func requestEnded(
            _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>,
            metrics: HTTPRequest.Metrics
        ) {
            if case .failure = completion { failures.withLock { $0 += 1 } }
        }
    }

    @Test func extensionsWorkTogether() async throws {
        let mock = MockTransport()
        mock.on(.get, "/list", MockResponse(.serviceUnavailable))
        mock.on(.get, "/other", MockResponse(.notFound))
        let counter = FailureCounter()
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"))
        configuration.interceptors = [Fallback()]
        configuration.monitors = [counter]
        let client = HTTPClient(configuration: configuration, transport: ZoneTransport(base: mock, zone: "eu"))

        #expect(try await client.value(for: HTTPRequest(.get, "/list").decoding([Int].self)) == [])
        #expect(counter.count == 0)
        await #expect(throws: HTTPError.self) {
            try await client.value(for: HTTPRequest(.get, "/other").decoding(Data.self))
        }
        #expect(counter.count == 1)
        #expect(mock.requests.map { $0.headers["X-Zone"] } == ["eu", "eu"])
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/Architecture.md")
        #expect(article.samples.count == 3)
        try article.expectAll()
    }
}
