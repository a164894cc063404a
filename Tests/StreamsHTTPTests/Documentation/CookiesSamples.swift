import StreamsHTTP
import Testing

/// The samples of the article "Cookies".
@Suite struct CookiesSamples {
    @Test func theArticleHasTheseSamples() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/Cookies.md")
        #expect(article.samples.count == 4)
        try article.expectAll()
    }

    @Test func keepsASession() async throws {
        let transport = AnsweringTransport { request, _ in
            guard request.method == .post else { return .reply(.ok, [:], request.headers["Cookie"] ?? "none") }
            return .reply(.ok, ["Set-Cookie": "session=1; Secure"])
        }
        let configuration = transport.client { $0.baseURL = URL(literal: "https://h.example") }.configuration
        #expect(try await Self.account(configuration, transport, password: "x") == "session=1")
    }

    private static func account(
        _ configuration: HTTPClient.Configuration, _ transport: AnsweringTransport, password: String
    ) async throws -> String {
        let jar = CookieJar()
        let client = HTTPClient(configuration: configuration, transport: transport).configuring { $0.cookies = jar }
        let login = HTTPRequest(.post, "/login", body: .form(["name": "ada", "password": password]))
        _ = try await client.response(for: login)
        let account = try await client.response(for: HTTPRequest(.get, "/account"))

        return String(decoding: account.body, as: UTF8.self)
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
