import StreamsHTTP
import StreamsHTTPTesting
import Testing

/// The samples of the article "From URLSession to Streams".
@Suite struct FromURLSessionSamples {
    struct User: Codable, Equatable, Sendable {
        let name: String
    }

    private let mock = MockTransport()
    private let client: HTTPClient

    init() throws {
        mock.on(.get, "/users/7", try .json(User(name: "Ada")))
        client = HTTPClient(configuration: .init(baseURL: URL(string: "https://api.example.com")), transport: mock)
    }

    @Test func decodedValue() async throws {
        let user = try await client.value(for: HTTPRequest(.get, "/users/7").decoding(User.self))
        #expect(user.name == "Ada")
    }

    @Test func sendsJSON() async throws {
        mock.on(.post, "/users") { MockResponse(.created, headers: $0.headers, body: $0.body) }
        let user = User(name: "Bea")
        let request = HTTPRequest(.post, "/users").settingBody(.json(user))
        let created = try await client.value(for: request.decoding(User.self))
        #expect(created == user && mock.requests.first?.headers["Content-Type"] == "application/json")
    }

    @Test func handlesATimeout() async throws {
        let cached = Data("cached".utf8)
        let request = HTTPRequest(.get, "/slow")
        mock.on(.get, "/slow", .failure(.timeout(.idle)))
        func load() async throws(HTTPError) -> Data {
            do throws(HTTPError) {
                return try await client.value(for: request.decoding(Data.self))
            } catch {
                if error.isTimeout { return cached }
                throw error
            }
        }
        #expect(try await load() == cached)
    }

    @Test func usesAPublisher() async {
        let names = client.publisher(for: HTTPRequest(.get, "/users/7").decoding(User.self))
            .map(\.name)
            .replaceError(with: "unknown")
        var received: [String] = []
        for await name in names.values { received.append(name) }
        #expect(received == ["Ada"])
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/FromURLSession.md")
        #expect(article.samples.count == 4)
        try article.expectAll()
    }
}
