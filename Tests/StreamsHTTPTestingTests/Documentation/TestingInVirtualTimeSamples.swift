import Foundation
import StreamsHTTP
import StreamsHTTPTesting
import StreamsTesting
import Testing

struct Tokens: Codable, Sendable {
    var access: String
    var refresh: String?
}

struct Login: AuthorizationEndpoint {
    typealias Response = Tokens
    var path: String { "/login" }
    func accessToken(from response: Tokens) -> String? { response.access }
    func refreshToken(from response: Tokens) -> String? { response.refresh }
}

struct Refresh: ReauthorizationEndpoint {
    typealias Response = Tokens
    let refreshToken: String
    var path: String { "/refresh/\(refreshToken)" }
    func accessToken(from response: Tokens) -> String? { response.access }
    func refreshToken(from response: Tokens) -> String? { response.refresh }
}

struct GetAccount: Endpoint {
    typealias Response = User
    var path: String { "/account" }
}

struct Page: Codable, Sendable {
    let names: [String]
    let next: Int?
}

struct GetPage: Endpoint {
    typealias Response = Page
    let number: Int
    var path: String { "/pages/\(number)" }
}

/// The samples of the article "Testing requests in virtual time".
@Suite("The samples of the article on virtual time", .timeLimit(.minutes(5)))
struct TestingInVirtualTimeSamples {
    private let scheduler = TestScheduler()
    private let mock: MockTransport
    private let configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"))
    private let client: HTTPClient

    init() {
        mock = MockTransport(scheduler: scheduler)
        client = HTTPClient(configuration: configuration, transport: mock, scheduler: scheduler)
    }

    @Test("Move the clock")
    func retries() async throws {
        let scheduler = TestScheduler()
        let mock = MockTransport(scheduler: scheduler)
        mock.on(
            .get, "/users/7",
            MockResponse(.serviceUnavailable, headers: ["Retry-After": "60"]),
            try .json(User(name: "Ann")))
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"))
        configuration.options.retry = RetryPolicy(maxRetries: 3)
        let client = HTTPClient(configuration: configuration, transport: mock, scheduler: scheduler)

        let recorder = RecordingSubscriber<User, HTTPError>()
        client.publisher(for: GetUser(id: 7)).subscribe(recorder)
        await scheduler.settle(advancingBy: .seconds(59))
        #expect(mock.requests.count == 1)
        await scheduler.settle(advancingBy: .seconds(1))
        #expect(recorder.values == [User(name: "Ann")])
    }

    @Test("Await a call")
    func calls() async throws {
        mock.on(.get, "/users/7", try .json(User(name: "Ann")).delayed(by: .seconds(60)))

        let user = Task(executorPreference: scheduler) { try await client.value(for: GetUser(id: 7)) }
        await scheduler.settle(advancingBy: .seconds(60))
        #expect(try await user.value == User(name: "Ann"))
    }

    @Test("Renew credentials")
    func renewal() async throws {
        var configuration = configuration

        let account = try MockResponse.json(User(name: "Ann"))
        mock.on(.get, "/account") { request in
            request.headers["Authorization"] == "Bearer new" ? account : MockResponse(.unauthorized)
        }
        mock.on(.get, "/refresh/*", try .json(Tokens(access: "new")).delayed(by: .seconds(3)))

        let store = InMemoryCredentialStore()
        store.update([
            OAuthAuthorization<Login, Refresh>.accessTokenKey: "old",
            OAuthAuthorization<Login, Refresh>.refreshTokenKey: "r1",
        ])
        configuration.authorization = OAuthAuthorization<Login, Refresh>(store: store)
        configuration.options.timeouts.total = .seconds(10)
        let client = HTTPClient(configuration: configuration, transport: mock, scheduler: scheduler)

        let recorder = RecordingSubscriber<User, HTTPError>()
        client.publisher(for: GetAccount()).subscribe(recorder)
        await scheduler.settle()
        #expect(mock.requests.map { $0.url.path() } == ["/account", "/refresh/r1"])
        await scheduler.settle(advancingBy: .seconds(3))
        #expect(mock.requests.map { $0.url.path() } == ["/account", "/refresh/r1", "/account"])
        #expect(recorder.values == [User(name: "Ann")])
        #expect(scheduler.now.sinceStart == .seconds(3))
    }

    @Test("Follow pages")
    func pages() async throws {
        let client = client

        for number in 1...3 {
            let page = Page(names: ["user \(number)"], next: number < 3 ? number + 1 : nil)
            mock.on(.get, "/pages/\(number)", try .json(page).delayed(by: .seconds(1)))
        }
        let pages = client.publisher(for: GetPage(number: 1)).expand { page in
            guard let next = page.next else { return Empty<Page, HTTPError>().eraseToAnyPublisher() }
            return client.publisher(for: GetPage(number: next)).eraseToAnyPublisher()
        }

        let recorder = RecordingSubscriber<Page, HTTPError>(initialDemand: .max(2))
        pages.subscribe(recorder)
        await scheduler.settle(advancingBy: .seconds(10))
        #expect(recorder.values.flatMap(\.names) == ["user 1", "user 2"])
        recorder.request(.unlimited)
        await scheduler.settle(advancingBy: .seconds(1))
        #expect(recorder.values.flatMap(\.names) == ["user 1", "user 2", "user 3"])
    }

    @Test("Resume a feed")
    func resumedFeed() async throws {
        func events(_ text: String) -> MockResponse {
            MockResponse(headers: ["Content-Type": "text/event-stream"], body: Data(text.utf8))
        }

        mock.on(
            .get, "/orders",
            events("id: 1\ndata: one\n\nid: 2").failing(.transfer(.bodyEndedEarly), at: .inBody(after: 20)),
            events("id: 2\ndata: two\n\n"), MockResponse(.noContent))

        let recorder = RecordingSubscriber<String, HTTPError>()
        client.serverSentEvents(for: HTTPRequest(.get, "/orders")).map(\.data).subscribe(recorder)
        await scheduler.settle(advancingBy: .seconds(60))
        #expect(recorder.values == ["one", "two"] && recorder.completion == .finished)
        #expect(mock.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", "2"])
    }

    @Test("Reopen a WebSocket")
    func reopenedWebSocket() async throws {
        mock.on(.get, "/prices", .webSocket(.receive, .send("1"), .drop), .webSocket(.receive, .send("2")))
        let cursor = Feed<WebSocket.Message>.Cursor { if case .text(let text) = $0 { text } else { nil } }

        let recorder = RecordingSubscriber<WebSocket.Message, HTTPError>()
        client.webSocketFeed(for: HTTPRequest(.get, "/prices"), cursor: cursor) { position in
            [.text("after \(position ?? "0")")]
        }
        .subscribe(recorder)
        await scheduler.settle(advancingBy: .seconds(60))
        #expect(recorder.values == ["1", "2"])
        #expect(mock.requests.map(\.messages) == [["after 0"], ["after 1"]])
        recorder.cancel()
    }

    @Test("Receive a body in parts")
    func bodyInParts() async throws {
        var configuration = configuration

        let feed = MockResponse(chunks: ["one", "two"].map { Data($0.utf8) })
        mock.on(.get, "/feed", feed.delayingChunks(by: .seconds(60)).stalling(at: .inBody(after: 6)))
        configuration.options.timeouts.idle = .seconds(90)
        let client = HTTPClient(configuration: configuration, transport: mock, scheduler: scheduler)

        let recorder = RecordingSubscriber<String, HTTPError>()
        client.events(for: HTTPRequest(.get, "/feed"))
            .compactMap { event -> String? in
                if case .chunk(let chunk) = event { String(decoding: chunk, as: UTF8.self) } else { nil }
            }
            .subscribe(recorder)
        await scheduler.settle(advancingBy: .seconds(60))
        #expect(recorder.values == ["one"])
        await scheduler.settle(advancingBy: .seconds(149))
        #expect(recorder.values == ["one", "two"] && recorder.completion == nil)
        await scheduler.settle(advancingBy: .seconds(1))
        guard case .failure(let error) = recorder.completion, error.isTimeout else {
            Issue.record("expected a timeout, got \(recorder.transcript)")
            return
        }
    }

    /// Every sample of the article is in this file, so that the compiler and the tests check it.
    @Test("The article has the samples that run")
    func articleMatches() throws {
        let article = try ArticleSamples(
            of: "Sources/StreamsHTTPTesting/StreamsHTTPTesting.docc/TestingInVirtualTime.md")
        #expect(article.samples.count == 10)
        try article.expectAll()
    }
}
