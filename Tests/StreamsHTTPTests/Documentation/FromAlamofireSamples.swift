import StreamsHTTP
import StreamsHTTPTesting
import Testing

/// The samples of the article "From Alamofire to Streams".
@Suite struct FromAlamofireSamples {
    struct User: Codable, Equatable, Sendable {
        let name: String
    }

    struct CreateUser: Endpoint {
        let user: User
        let path = "/users"
        let method = HTTPMethod.post
        var parameters: User { user }
        typealias Response = User
    }

    struct Tracing: Interceptor {
        func adapt(_ request: TransportRequest, _ context: HTTPRequest.Context) -> TransportRequest {
            var request = request
            request.headers.set("X-Request-Id", "\(context.id).\(context.attempt)")
            return request
        }
    }

    private let mock = MockTransport()
    private let client: HTTPClient

    init() throws {
        mock.on(.get, "/v1/users/7", try .json(User(name: "Ada")))
        client = HTTPClient(
            configuration: .init(baseURL: URL(string: "https://api.example.com/v1")), transport: mock)
    }

    @Test func decodedValue() async throws {
        let user = try await client.value(for: HTTPRequest(.get, "/users/7").decoding(User.self))
        #expect(user.name == "Ada")
    }

    @Test func parameters() async throws {
        mock.on(.post, "/v1/users") { MockResponse(.created, headers: $0.headers, body: $0.body) }
        let newUser = User(name: "Bea")
        let created = try await client.value(for: CreateUser(user: newUser))
        #expect(created == newUser)
        #expect(mock.requests.first?.headers["Content-Type"] == "application/json")
    }

    @Test func adaptingAndRetrying() async throws {
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com/v1"))
        configuration.interceptors = [Tracing()]
        configuration.options.retry = .init(maxRetries: 3)

        configuration.options.retry.backoff.initial = .zero
        mock.on(.get, "/v1/users/7", MockResponse(.serviceUnavailable), try .json(User(name: "Ada")))
        let client = HTTPClient(configuration: configuration, transport: mock)
        #expect(try await client.value(for: HTTPRequest(.get, "/users/7").decoding(User.self)).name == "Ada")
        let identifiers = mock.requests.compactMap { $0.headers["X-Request-Id"] }
        #expect(identifiers.count == 2 && identifiers.allSatisfy { $0.contains(".") } && Set(identifiers).count == 2)
    }

    @Test func uploadWithProgress() async throws {
        let folder = try ScratchFolder()
        try folder.write("a photo", to: "1.jpg")
        let path = "\(folder.path)/1.jpg"
        mock.on(.post, "/v1/photos", .text("thanks"))
        let form: MultipartForm = [.text("title", "Summer"), .file("photo", path: path, contentType: "image/jpeg")]
        let request = try HTTPRequest(.post, "/photos").settingBody(.multipart(form))
        let reply = try await client.value(for: request.decoding(Data.self)) { progress in
            print(progress.upload?.fraction ?? .nan)
        }
        #expect(String(decoding: reply, as: UTF8.self) == "thanks")
        #expect(mock.requests.first.map { String(decoding: $0.body, as: UTF8.self) }?.contains("a photo") == true)
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/FromAlamofire.md")
        #expect(article.samples.count == 6)
        try article.expectAll()
    }
}
