import Foundation
import StreamsHTTP
import StreamsHTTPTesting
import StreamsTesting
import Testing

struct User: Codable, Equatable, Sendable {
    let name: String
}

struct GetUser: Endpoint {
    let id: Int
    var path: String { "/users/\(id)" }
    typealias Response = User
}

/// The samples of the article "Testing requests".
@Suite("The samples of the article on testing requests")
struct TestingRequestsSamples {
    private let mock = MockTransport()
    private let configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"))
    private let scratch: ScratchFolder

    private var transport: any HTTPTransport { mock }
    private var folder: String { scratch.path }

    init() throws {
        scratch = try ScratchFolder()
        mock.on(.get, "/users/7", try .json(User(name: "Ann")))
    }

    @Test("Mock a service")
    func mocking() async throws {
        let mock = MockTransport()
        mock.on(.get, "/users/*", try .json(User(name: "Ann")))
        mock.on(.post, "/users") { request in MockResponse(.created, body: request.body) }
        let configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"))
        let client = HTTPClient(configuration: configuration, transport: mock)

        #expect(try await client.value(for: GetUser(id: 7)) == User(name: "Ann"))
        #expect(mock.requests.map(\.url.absoluteString) == ["https://api.example.com/users/7"])
    }

    @Test("Script an exchange")
    func scripting() async throws {
        let mock = MockTransport()
        mock.on(
            .get, "/log",
            .failure(.connection(.refused)),
            .text("line 1, line 2").split(into: 7).failing(.transfer(.bodyEndedEarly), at: .inBody(after: 10)),
            .text("line 1, line 2"))
        var configuration = HTTPClient.Configuration()
        configuration.options.retry = RetryPolicy(maxRetries: 2, backoff: .init(initial: .zero))
        let client = HTTPClient(configuration: configuration, transport: mock)

        let response = try await client.response(for: HTTPRequest(.get, "https://example.com/log"))
        #expect(String(decoding: response.body, as: UTF8.self) == "line 1, line 2")
        #expect(mock.requests.count == 3)
    }

    @Test("Control the clock")
    func clock() async throws {
        let scheduler = TestScheduler()
        let mock = MockTransport(scheduler: scheduler)
        mock.on(.get, "/users/7", try .json(User(name: "Ann")).delayed(by: .seconds(30)))
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"))
        configuration.options.timeouts.idle = .seconds(10)
        let client = HTTPClient(configuration: configuration, transport: mock, scheduler: scheduler)

        let recorder = RecordingSubscriber<User, HTTPError>()
        client.publisher(for: GetUser(id: 7)).subscribe(recorder)
        await scheduler.settle(advancingBy: .seconds(10))
        guard case .failure(let error) = recorder.completion, case .timeout(.idle) = error.reason else {
            Issue.record("expected a timeout, got \(recorder.transcript)")
            return
        }
    }

    private func record() async throws {
        let recording = try RecordingTransport(wrapping: transport, into: folder)
        let client = HTTPClient(configuration: configuration, transport: recording)
        #expect(try await client.value(for: GetUser(id: 7)) == User(name: "Ann"))
        try await recording.finish()
    }

    @Test("Record and replay")
    func replaying() async throws {
        try await record()

        let replay = ReplayTransport(from: try RecordedSession(path: folder))
        let client = HTTPClient(configuration: configuration, transport: replay)
        #expect(try await client.value(for: GetUser(id: 7)) == User(name: "Ann"))
        #expect(replay.remaining.isEmpty)
    }

    @Test("Leave out secrets")
    func redacting() throws {
        var redaction = Redaction()
        redaction.names.insert("session")
        let recording = try RecordingTransport(wrapping: transport, into: folder, redaction: redaction)

        #expect(recording.session.redaction.names.contains("session"))
        #expect(try RecordedSession(path: folder).redaction == redaction)
    }

    @Test("Inject faults")
    func faults() async throws {
        var configuration = configuration

        let unreliable = FaultInjectingTransport(
            wrapping: mock, seed: 7,
            InjectedFault(.failure(.connection(.refused)), .numbers([1])),
            InjectedFault(.response(.serviceUnavailable, ["Retry-After": "0"]), .numbers([2])))
        configuration.options.retry = RetryPolicy(maxRetries: 2, backoff: .init(initial: .zero))
        let client = HTTPClient(configuration: configuration, transport: unreliable)
        #expect(try await client.value(for: GetUser(id: 7)) == User(name: "Ann"))
        #expect(mock.requests.count == 1)
    }

    /// Every sample of the article is in this file, so that the compiler and the tests check it.
    @Test("The article has the samples that run")
    func articleMatches() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTPTesting/StreamsHTTPTesting.docc/TestingRequests.md")
        #expect(article.samples.count == 8)
        try article.expectAll()
    }
}
