import StreamsHTTP
import StreamsHTTPTesting
import Testing

/// The samples of the article "Authorization".
@Suite struct AuthorizationSamples {
    struct Account: Codable, Equatable, Sendable {
        let name: String
    }

    struct GetAccount: Endpoint {
        let path = "/account"
        typealias Response = Account
    }

    struct Status: Codable, Equatable, Sendable {
        let isUp: Bool
    }

    struct GetStatus: Endpoint {
        let path = "/status"
        let requiresAuthorization = false
        typealias Response = Status
    }

    struct Tokens: Decodable, Sendable {
        let accessToken: String
        let refreshToken: String?
    }

    struct Login: AuthorizationEndpoint {
        let parameters: [String: String]
        let path = "/login"
        let method = HTTPMethod.post
        typealias Response = Tokens

        init(name: String, password: String) { parameters = ["name": name, "password": password] }

        func accessToken(from response: Tokens) -> String? { response.accessToken }
        func refreshToken(from response: Tokens) -> String? { response.refreshToken }
    }

    struct Refresh: ReauthorizationEndpoint {
        let parameters: [String: String]
        let path = "/token"
        let method = HTTPMethod.post
        let encoding = ParameterEncoding.form
        typealias Response = Tokens

        init(refreshToken: String) { parameters = ["grant_type": "refresh_token", "refresh_token": refreshToken] }

        func accessToken(from response: Tokens) -> String? { response.accessToken }
        func refreshToken(from response: Tokens) -> String? { response.refreshToken }
    }

    struct APIKeyAuthorization: AuthorizationProvider {
        let key: String

        func authorize(_ request: TransportRequest) -> TransportRequest {
            var request = request
            request.headers.set("X-API-Key", key)
            return request
        }
    }

    struct OpenSession: Endpoint {
        let path = "/sessions"
        let method = HTTPMethod.post
        typealias Response = String
    }

    struct SessionAuthorization: AuthorizationProvider {
        let store: any CredentialStore

        func authorize(_ request: TransportRequest) async throws -> TransportRequest {
            guard let session = try store.credential(for: "session") else { return request }
            var request = request
            request.headers.set("X-Session", session)
            return request
        }

        func makeReauthorizationRequest() -> OpenSession? { OpenSession() }

        func handle(reauthorizationResponse: HTTPResponse<String>, from call: OpenSession) throws {
            try store.update(["session": reauthorizationResponse.body])
        }
    }

    private let transport = MockTransport()
    private let url = URL(string: "https://api.example.com")
    private let token = "t0k3n"
    private let password = "secret"

    /// Answers with an account if a field has a value, and with 401 otherwise.
    private func answerAccounts(if name: String, is value: String) throws {
        let account = try MockResponse.json(Account(name: "Ada"))
        transport.on(.get, "/account") { $0.headers[name] == value ? account : MockResponse(.unauthorized) }
    }

    private func client(_ change: (inout HTTPClient.Configuration) -> Void) -> HTTPClient {
        var configuration = HTTPClient.Configuration(baseURL: url)
        change(&configuration)
        return HTTPClient(configuration: configuration, transport: transport)
    }

    @Test func requirement() async throws {
        let request = HTTPRequest(.get, "/status").requiringAuthorization(false)
        var configuration = HTTPClient.Configuration(baseURL: url)
        configuration.authorization = .bearer(token)
        try answerAccounts(if: "Authorization", is: "Bearer t0k3n")
        transport.on(.get, "/status", try .json(Status(isUp: true)))
        let client = HTTPClient(configuration: configuration, transport: transport)
        #expect(try await client.value(for: GetAccount()).name == "Ada")
        #expect(try await client.value(for: GetStatus()).isUp)
        #expect(try await client.response(for: request).status == .ok)
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer t0k3n", nil, nil])

        configuration.options.requiresAuthorization = false
        let rarely = HTTPClient(configuration: configuration, transport: transport)
        await #expect(throws: HTTPError.self) { try await rarely.value(for: GetAccount()) }
        let account = HTTPRequest(.get, "/account").requiringAuthorization()
        #expect(try await rarely.value(for: account.decoding(Account.self)).name == "Ada")
    }

    @Test func fixedCredentials() async throws {
        let bearer = HTTPClient(baseURL: url, authorization: .bearer(token))
        let basic = HTTPClient(baseURL: url, authorization: .basic(user: "ada", password: password))
        for (client, value) in [(bearer, "Bearer t0k3n"), (basic, "Basic YWRhOnNlY3JldA==")] {
            try answerAccounts(if: "Authorization", is: value)
            let mocked = HTTPClient(configuration: client.configuration, transport: transport)
            #expect(try await mocked.value(for: GetAccount()).name == "Ada")
        }
    }

    @Test func credentialsOfARequest() async throws {
        let request = HTTPRequest(.get, "/account").settingAuthorization(.bearer(token))
        try answerAccounts(if: "Authorization", is: "Bearer t0k3n")
        #expect(try await client { _ in }.value(for: request.decoding(Account.self)).name == "Ada")
    }

    @Test func loginAndRenewal() async throws {
        try answerAccounts(if: "Authorization", is: "Bearer new")
        transport.on(.post, "/login", try .json(["accessToken": "old", "refreshToken": "again"]))
        transport.on(.post, "/token", try .json(["accessToken": "new"]))

        var configuration = HTTPClient.Configuration(baseURL: url)
        configuration.authorization = OAuthAuthorization<Login, Refresh>()
        let client = HTTPClient(configuration: configuration, transport: transport)
        _ = try await client.value(for: Login(name: "ada", password: password))
        let account = try await client.value(for: GetAccount())

        #expect(account.name == "Ada")
        #expect(transport.requests.map(\.url.path) == ["/login", "/account", "/token", "/account"])
        #expect(
            String(decoding: transport.requests[2].body, as: UTF8.self)
                == "grant_type=refresh_token&refresh_token=again")
    }

    @Test func oneRenewalForManyRequests() async throws {
        try answerAccounts(if: "Authorization", is: "Bearer new")
        transport.on(.post, "/token", try .json(["accessToken": "new"]).delayed(by: .milliseconds(50)))
        let store = InMemoryCredentialStore([
            OAuthAuthorization<Login, Refresh>.accessTokenKey: "old",
            OAuthAuthorization<Login, Refresh>.refreshTokenKey: "again",
        ])
        let client = client { $0.authorization = OAuthAuthorization<Login, Refresh>(store: store) }
        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10 { group.addTask { try await client.value(for: GetAccount()).name } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(names == Array(repeating: "Ada", count: 10))
        #expect(transport.requests.count { $0.url.path == "/token" } == 1)
    }

    @Test func providersOfOnesOwn() async throws {
        try answerAccounts(if: "X-API-Key", is: "4711")
        let keyed = client { $0.authorization = APIKeyAuthorization(key: "4711") }
        #expect(try await keyed.value(for: GetAccount()).name == "Ada")

        try answerAccounts(if: "X-Session", is: "s2")
        transport.on(.post, "/sessions", .text("s2"))
        let store = InMemoryCredentialStore(["session": "s1"])
        let client = client { $0.authorization = SessionAuthorization(store: store) }
        #expect(try await client.value(for: GetAccount()).name == "Ada")
        #expect(store.credential(for: "session") == "s2")
    }

    @Test func origins() async throws {
        var configuration = HTTPClient.Configuration(baseURL: url)
        configuration.credentialOrigins = [URL(string: "https://files.example.com")].compactMap(\.self)

        configuration.authorization = .bearer(token)
        transport.otherwise { _ in MockResponse() }
        let client = HTTPClient(configuration: configuration, transport: transport)
        for host in ["api", "files", "other"] {
            let request = HTTPRequest(.get, "https://\(host).example.com/").requiringAuthorization()
            _ = try await client.value(for: request.decoding(Data.self))
        }
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer t0k3n", "Bearer t0k3n", nil])
    }

    @Test func storesAndLogout() async throws {
        let folder = try ScratchFolder()
        let path = "\(folder.path)/credentials"
        var configuration = HTTPClient.Configuration(baseURL: url)
        let store = FileCredentialStore(path: path)
        configuration.authorization = OAuthAuthorization<Login, Refresh>(store: store)

        transport.on(.post, "/login", try .json(["accessToken": "a", "refreshToken": "r"]))
        let client = HTTPClient(configuration: configuration, transport: transport)
        _ = try await client.value(for: Login(name: "ada", password: password))
        #expect(try store.credential(for: OAuthAuthorization<Login, Refresh>.refreshTokenKey) == "r")
        try store.update([
            OAuthAuthorization<Login, Refresh>.accessTokenKey: nil,
            OAuthAuthorization<Login, Refresh>.refreshTokenKey: nil,
        ])
        #expect(try folder.text(of: "credentials") == "{}")
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/Authorization.md")
        #expect(article.samples.count == 12)
        try article.expectAll()
    }
}
