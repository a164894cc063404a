import StreamsHTTP
import StreamsHTTPTesting
import Testing

/// The samples of the article "Feeds".
@Suite struct FeedsSamples {
    @Test func followsTheEventsOfAFeed() async throws {
        let mock = MockTransport()
        let body = Data("id: 1\ndata: a\n\n".utf8)
        let events = MockResponse(headers: ["Content-Type": "text/event-stream"], body: body)
        mock.on(.get, "/orders", events, MockResponse(.noContent))
        let client = HTTPClient(configuration: .init(baseURL: "https://api.example.com"), transport: mock)
        let request = HTTPRequest(.get, "/orders")
        for try await event in client.serverSentEvents(for: request).events.values {
            switch event {
            case .element(let order): print(order.type, order.data, order.id)
            case .gap(let gap): print("\(gap)")
            case .waiting(let wait): print("\(wait)")
            case .connecting, .open, .comment: break
            }
        }
        #expect(mock.requests.last?.headers["Last-Event-ID"] == "1")
    }

    @Test func setsOptions() async throws {
        let mock = MockTransport()
        let body = Data("id: 1\ndata: a\n\n".utf8)
        mock.on(.get, "/orders", MockResponse(headers: ["Content-Type": "text/event-stream"], body: body))
        let client = HTTPClient(configuration: .init(baseURL: "https://api.example.com"), transport: mock)
        var options = FeedOptions()
        options.reconnection.backoff = Backoff(initial: .seconds(1), maximum: .seconds(5))
        options.undecodableElements = .skip
        let patient = HTTPRequest(.get, "/orders").settingOptions { $0.timeouts.idle = .seconds(300) }
        let orders = client.serverSentEvents(for: patient, options: options)
        #expect(try await orders.first().value?.data == "a")
        #expect(mock.requests.count == 1)
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/Feeds.md")
        #expect(article.samples.count == 2)
        try article.expectAll()
    }
}
