import StreamsHTTP
import StreamsHTTPTesting
import StreamsTesting
import Testing

/// The samples of the article "Retries and timeouts".
@Suite struct RetriesAndTimeoutsSamples {
    private let mock = MockTransport()
    private let scheduler = TestScheduler()

    private func client(_ configuration: HTTPClient.Configuration) -> HTTPClient {
        HTTPClient(configuration: configuration, transport: mock, scheduler: scheduler)
    }

    private func configured(_ change: (inout HTTPClient.Configuration) -> Void) -> HTTPClient {
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"))
        change(&configuration)
        return client(configuration)
    }

    /// The status of a GET, or the status of its failure.
    private func status(_ client: HTTPClient, _ path: String) async -> HTTPStatus? {
        do throws(HTTPError) {
            return try await client.response(for: HTTPRequest(.get, path).decoding(Data.self)).status
        } catch {
            return error.status
        }
    }

    @Test func defaultsOfAClient() {
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com/v1"))
        configuration.options.timeouts.connect = .seconds(5)
        configuration.options.timeouts.total = .seconds(30)
        configuration.options.retry = .init(maxRetries: 3)

        #expect(configuration.options.timeouts.idle == .seconds(60))
        #expect(configuration.options.timeouts.minimumRate == nil)
        #expect(RequestOptions.Timeouts().connect == .seconds(30) && RequestOptions.Timeouts().total == nil)
    }

    @Test func optionsOfARequest() {
        let feed = HTTPRequest(.get, "/events").settingOptions { $0.timeouts.idle = .seconds(300) }

        #expect(feed.options.timeouts.connect == .seconds(30) && feed.options.timeouts.total == nil)
    }

    @Test func backoff() {
        let retry = RetryPolicy(maxRetries: 3, backoff: .init(initial: .milliseconds(200), maximum: .seconds(10)))

        #expect(
            retry.methods == [
                .get, .head, .options, .trace, .query, "PROPFIND", "REPORT", "SEARCH", .put, .delete,
            ])
        #expect(retry.statuses.map(\.code).sorted() == [408, 429, 500, 502, 503, 504])
        #expect(retry.maxServerDelay == .seconds(120) && retry.maxElapsed == nil)
        #expect(Backoff().initial == .milliseconds(500) && Backoff().maximum == .seconds(30))
    }

    @Test func hedges() async throws {
        mock.on(.get, "/", .text("late").delayed(by: .seconds(3600)), .text("early"))
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"))
        configuration.options.hedging = HedgingPolicy(after: .milliseconds(80))
        let client = client(configuration)
        async let response = client.response(for: HTTPRequest(.get, "/"))
        try #require(await scheduler.wait(forPending: 1))
        scheduler.advance(by: .milliseconds(80))
        #expect(String(decoding: try await response.body, as: UTF8.self) == "early")
    }

    /// The article's claims about `Retry-After`.
    @Test(arguments: [(120, HTTPStatus.ok, 2), (121, .serviceUnavailable, 1)])
    func obeysRetryAfterUpToALimit(seconds: Int, expected: HTTPStatus, requests: Int) async throws {
        mock.on(.get, "/", MockResponse(.serviceUnavailable, headers: ["Retry-After": "\(seconds)"]), .text("ready"))
        let client = configured { $0.options.retry = .init(maxRetries: 1) }
        async let status = status(client, "/")
        if requests > 1 {
            #expect(await scheduler.wait(forPending: 1))
            scheduler.advance(by: .seconds(119))
            #expect(mock.requests.count == 1)
            scheduler.advance(by: .seconds(1))
        }
        #expect(await status == expected)
        #expect(mock.requests.count == requests)
    }

    @Test func budget() async {
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"))
        configuration.options.retry = .init(maxRetries: 100, backoff: .init(initial: .zero))
        configuration.limits.retryBudget = RetryPolicy.Budget(share: 0.1, reserve: 2)

        mock.on(.get, "/", MockResponse(.serviceUnavailable))
        let client = HTTPClient(configuration: configuration, transport: mock)
        #expect(await status(client, "/") == .serviceUnavailable)
        // Two for each of ten seconds, and a tenth of the first attempt, which is less than one.
        #expect(mock.requests.count == 21)
        #expect(RetryPolicy.Budget().share == 0.2 && RetryPolicy.Budget().reserve == 10)
    }

    @Test func anotherDecision() async {
        var policy = RetryPolicy(maxRetries: 5)
        policy.maxElapsed = .seconds(60)
        policy.shouldRetry = { error in
            error.status == .conflict ? true : nil
        }

        policy.backoff.initial = .zero
        mock.on(.get, "/", MockResponse(.conflict), MockResponse(.noContent))
        mock.on(.get, "/forbidden", MockResponse(.forbidden))
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"))
        configuration.options.retry = policy
        let client = HTTPClient(configuration: configuration, transport: mock)
        #expect(await status(client, "/") == .noContent)
        #expect(await status(client, "/forbidden") == .forbidden)
        #expect(mock.requests.count == 3)
    }

    /// The response that a stream of events has before its retry, or instead of one.
    @Test(arguments: [
        (MockResponse(.tooManyRequests, headers: ["Retry-After": "30"]), 2), (MockResponse(.serviceUnavailable), 1),
        (MockResponse(body: Data("data: a\n\n".utf8)).failing(.transfer(.bodyEndedEarly), at: .inBody(after: 8)), 1),
    ])
    func retriesAStreamOfEvents(first: MockResponse, requests: Int) async throws {
        let mock = MockTransport(scheduler: scheduler)
        mock.on(.post, "/chat/completions", first, MockResponse(body: Data("data: b\n\n".utf8)))
        let configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"))
        let client = HTTPClient(configuration: configuration, transport: mock, scheduler: scheduler)
        let question = ["model": "small"]
        var request = HTTPRequest(.post, "/chat/completions", body: .json(question))
        request.headers = ["Accept": "text/event-stream", "Accept-Encoding": "identity"]
        request.options.retry = RetryPolicy(maxRetries: 5)
        request.options.retry.methods.insert(.post)
        request.options.retry.shouldRetry = { $0.status == .tooManyRequests }
        let events = client.chunks(for: request).serverSentEvents()

        let recorder = RecordingSubscriber<ServerSentEvent<String>, any Error>()
        events.subscribe(recorder)
        await scheduler.settle(advancingBy: .seconds(29))
        #expect(mock.requests.count == 1)
        await scheduler.settle(advancingBy: .seconds(1))
        #expect(await recorder.wait())
        #expect(recorder.values.map(\.data) == (requests == 2 ? ["b"] : []))
        #expect(mock.requests.count == requests)
    }

    private struct Order: Endpoint {
        let path = "/orders"
        let method = HTTPMethod.post
        typealias Response = String
    }

    @Test(arguments: [(HTTPError.Reason.connection(.refused), 2), (.transfer(.emptyReply), 1)])
    func repeatsWhatWasNotProcessed(failure: HTTPError.Reason, requests: Int) async {
        mock.on(.post, "/orders", .failure(failure), .text("ordered"))
        let client = configured { $0.options.retry = .init(maxRetries: 3) }
        func place(_ order: Order) async throws(HTTPError) -> String {
            do throws(HTTPError) {
                return try await client.value(for: order)
            } catch {
                guard !error.mayHaveBeenProcessed else { throw error }
                return try await client.value(for: order)
            }
        }
        let result = try? await place(Order())
        #expect(result == (requests == 2 ? "ordered" : nil))
        // The policy itself retries no POST.
        #expect(mock.requests.count == requests)
    }

    /// The article's claim about the queue: a request can time out in it, before anything is sent.
    @Test func queueWithADeadline() async {
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"))
        configuration.limits.maxConcurrentRequests = 8

        configuration.limits.maxConcurrentRequests = 1
        configuration.options.timeouts.total = .seconds(10)
        mock.on(.get, "/", MockResponse().stalling(at: .beforeHead))
        let client = client(configuration)
        let recorders = (0..<2).map { _ in RecordingSubscriber<RequestEvent<Void>, HTTPError>() }
        client.events(for: HTTPRequest(.get, "/")).subscribe(recorders[0])
        // Its time is up before the first one leaves its place to it.
        let hasty = HTTPRequest(.get, "/").settingOptions { $0.timeouts.total = .seconds(5) }
        client.events(for: hasty).subscribe(recorders[1])
        scheduler.advance(by: .seconds(10))
        var names: [String] = []
        for recorder in recorders {
            #expect(await recorder.wait())
            if case .failure(let error) = recorder.completion { names.append(error.name) }
        }
        #expect(names == ["timeout.total", "timeout.queue"])
        #expect(mock.requests.count == 1)
    }

    @Test func shutdown() async {
        let client = configured { _ in }
        await client.shutdown(deadline: .seconds(10))

        let error = await #expect(throws: HTTPError.self) {
            try await client.value(for: HTTPRequest(.get, "/").decoding(Data.self))
        }
        guard case .invalidRequest(.clientShutDown) = error?.reason else {
            Issue.record("expected a refusal, got \(error as Any)")
            return
        }
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/RetriesAndTimeouts.md")
        #expect(article.samples.count == 10)
        try article.expectAll()
    }
}
