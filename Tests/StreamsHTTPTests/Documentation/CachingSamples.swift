import StreamsHTTP
import StreamsTesting
import Testing

/// The samples of the article "Caching".
@Suite struct CachingSamples {
    private let transport = AnsweringTransport { _, number in
        number == 1 ? .reply(.ok, ["Cache-Control": "max-age=60"], "1.08") : .failure(.connection(.refused))
    }

    @Test func theArticleHasTheseSamples() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/Caching.md")
        #expect(article.samples.count == 3)
        try article.expectAll()
    }

    @Test func answersFromMemory() async throws {
        var configuration = HTTPClient.Configuration(baseURL: URL(literal: "https://h.example"))
        configuration.cache = HTTPCache(maxMemory: 32 << 20)
        let client = HTTPClient(configuration: configuration, transport: transport)
        for isHit in [false, true] {
            let response = try await client.response(for: HTTPRequest(.get, "/rates"))
            if let status = response.cacheStatus { print(status) }  // Streams; hit; ttl=30
            #expect(response.cacheStatus?.isHit == isHit)
        }
    }

    @Test func outlivesItsServer() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/cache"
        let scheduler = TestScheduler()
        let answers = Watched<[String]>([])
        var configuration = HTTPClient.Configuration(baseURL: URL(literal: "https://h.example"))
        configuration.cache = try HTTPCache(path: path, maxSize: 256 << 20)
        configuration.options.cache.staleIfError = .seconds(86_400)
        let client = HTTPClient(configuration: configuration, transport: transport, scheduler: scheduler)
        for _ in 1...3 {
            let rates = try await client.response(for: HTTPRequest(.get, "/rates"))
            answers.update {
                $0.append("\(String(decoding: rates.body, as: UTF8.self)), \(rates.cacheStatus?.isStale == true)")
            }
            scheduler.advance(by: .seconds(61))
        }
        #expect(answers.value == ["1.08, false", "1.08, true", "1.08, true"])
        #expect(transport.requests.value.count == 3)
    }

    /// The daemon's loop, which only has to compile.
    func poll(path: String, transport: any HTTPTransport) async throws {
        var configuration = HTTPClient.Configuration(baseURL: URL(literal: "https://h.example"))
        configuration.cache = try HTTPCache(path: path, maxSize: 256 << 20)
        configuration.options.cache.staleIfError = .seconds(86_400)
        let client = HTTPClient(configuration: configuration, transport: transport)
        while !Task.isCancelled {
            let rates = try await client.response(for: HTTPRequest(.get, "/rates"))
            if rates.cacheStatus?.isStale == true { print("rates of \(rates.headers["Date"] ?? "an unknown time")") }
            try await Task.sleep(for: .seconds(60))
        }
    }
}
