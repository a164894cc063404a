import StreamsHTTP
import Testing

/// The samples of the article "Cookies".
@Suite struct CookiesSamples {
    @Test func theArticleHasTheseSamples() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/Cookies.md")
        #expect(article.samples.count == 6)
        try article.expectAll()
    }

    @Test func keepsASession() async throws {
        let transport = AnsweringTransport { request, _ in
            guard request.method == .post else { return .reply(.ok, [:], request.headers["Cookie"] ?? "none") }
            return .reply(.ok, ["Set-Cookie": "session=1; Secure"])
        }
        let password = "x"
        var configuration = HTTPClient.Configuration(baseURL: URL(literal: "https://h.example"))
        configuration.cookies = CookieJar()
        let client = HTTPClient(configuration: configuration, transport: transport)
        let login = HTTPRequest(.post, "/login", body: .form(["name": "ada", "password": password]))
        _ = try await client.response(for: login)
        let account = try await client.response(for: HTTPRequest(.get, "/account"))

        #expect(String(decoding: account.body, as: UTF8.self) == "session=1")
    }

    struct Login: Endpoint {
        let password: String
        let path = "/login"
        let method = HTTPMethod.post
        var body: HTTPBody { .form(["name": "ada", "password": password]) }
        typealias Response = Void
    }

    struct SessionAuthorization: AuthorizationProvider {
        let password: String

        func authorize(_ request: TransportRequest) -> TransportRequest { request }
        func makeReauthorizationRequest() -> Login? { Login(password: password) }
    }

    @Test func logsInAgain() async throws {
        let transport = AnsweringTransport { request, number in
            if request.method == .post { return .reply(.noContent, ["Set-Cookie": "session=\(number); Secure"]) }
            // The first session ends after one request.
            let cookie = request.headers["Cookie"]
            return cookie == nil || cookie == "session=2" && number > 3
                ? .reply(.unauthorized) : .reply(.ok, [:], cookie ?? "")
        }
        let password = "x"
        var configuration = HTTPClient.Configuration(baseURL: URL(literal: "https://h.example"))
        configuration.cookies = CookieJar()
        configuration.authorization = SessionAuthorization(password: password)
        let client = HTTPClient(configuration: configuration, transport: transport)
        for session in ["session=2", "session=5"] {
            let account = try await client.response(for: HTTPRequest(.get, "/account"))
            #expect(String(decoding: account.body, as: UTF8.self) == session)
        }
        #expect(transport.requests.value.map(\.method) == [.get, .post, .get, .get, .post, .get])
    }

    @Test func namesTheOriginOfALogin() {
        var configuration = HTTPClient.Configuration(baseURL: URL(literal: "https://api.example.com"))
        configuration.credentialOrigins = [URL(literal: "https://login.example.com")]

        #expect(configuration.credentialOrigins.count == 1)
    }

    @Test func changesCookies() {
        let jar = CookieJar()
        let url = URL(literal: "https://api.example.com/")
        jar.set(Cookie("theme", "dark", domain: "example.com", includesSubdomains: true))
        for cookie in jar.cookies(for: url) { print(cookie.name, cookie.expires ?? "until the end of the session") }
        jar.removeAll { $0.expires == nil }

        #expect(jar.cookies.isEmpty)
    }

    @Test func keepsAFile() throws {
        let folder = try ScratchFolder()
        let path = "\(folder.path)/cookies"
        var configuration = HTTPClient.Configuration()
        let jar = try CookieJar(path: path)
        configuration.cookies = jar
        // ... requests ...
        try jar.synchronize()

        #expect(try folder.names == ["cookies.lock"])
    }
}
