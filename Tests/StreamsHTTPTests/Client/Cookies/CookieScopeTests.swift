import StreamsHTTP
import StreamsTesting
import Testing

/// Cookies and redirects across hosts: which of a client's origins take part.
@Suite struct CookieScopeTests {
    private let jar = CookieJar()

    init() {
        for host in ["home.example", "named.example", "other.example", "third.example"] {
            jar.set(Cookie("at", host, domain: host))
        }
    }

    /// The hosts of the requests, with their cookies.
    private func walk(
        _ hosts: String..., home: String? = "https://home.example", named: [String] = []
    ) async throws -> [String] {
        let transport = AnsweringTransport { _, number in
            guard number < hosts.count else { return .reply(.ok) }
            return .reply(
                .found, ["Location": "https://\(hosts[number]).example/", "Set-Cookie": "n\(number)=1; Secure"])
        }
        let client = transport.client {
            $0.baseURL = home.flatMap { URL(string: $0) }
            $0.credentialOrigins = named.compactMap { URL(string: $0) }
            $0.cookies = jar
        }
        _ = try await client.response(for: HTTPRequest(.get, "https://\(hosts[0]).example/"))
        return transport.requests.value.map { $0.headers["Cookie"] ?? "none" }
    }

    @Test func eachHopHasTheCookiesOfItsHost() async throws {
        #expect(
            try await walk("home", "other", "third") == ["at=home.example", "at=other.example", "at=third.example"])
        #expect(jar.cookies.map(\.name) == ["at", "at", "at", "at", "n1", "n2"])
    }

    /// A request to another origin, and what that does with it.
    @Test func aRedirectIntoTheScopeHasNoCookies() async throws {
        #expect(try await walk("other", "home") == ["at=other.example", "none"])
        #expect(try await walk("home", "other", "home") == ["at=home.example", "at=other.example; n1=1", "none"])
    }

    @Test func aRedirectIntoTheScopeSetsNoCookies() async throws {
        #expect(try await walk("other", "home", "home") == ["at=other.example", "none", "none"])
        #expect(jar.cookies.filter { $0.domain == "home.example" }.map(\.name) == ["at"])
    }

    @Test func namedOriginsLeadBack() async throws {
        let named = ["https://named.example"]
        #expect(try await walk("named", "home", named: named) == ["at=named.example", "at=home.example"])
        #expect(try await walk("other", "named", named: named) == ["at=other.example", "none"])
    }

    @Test func withoutAScopeCookiesFollowTheirHosts() async throws {
        #expect(try await walk("other", "home", home: nil) == ["at=other.example", "at=home.example"])
    }

    @Test func anotherSchemeGetsNoSecureCookies() async throws {
        let transport = AnsweringTransport { _, number in
            number == 1 ? .reply(.found, ["Location": "http://home.example/"]) : .reply(.ok)
        }
        let client = transport.client {
            $0.cookies = jar
            $0.options.redirects = .follow(max: 1, allowingInsecure: true)
        }
        _ = try await client.response(for: HTTPRequest(.get, "https://home.example/"))
        #expect(transport.requests.value.map { $0.headers["Cookie"] } == ["at=home.example", nil])
    }

    @Test func ownCookiesOfARequestStayAtItsOrigin() async throws {
        let transport = AnsweringTransport { _, number in
            number == 1 ? .reply(.found, ["Location": "https://other.example/"]) : .reply(.ok)
        }
        let client = transport.client { $0.cookies = jar }
        _ = try await client.response(for: HTTPRequest(.get, "https://home.example/", headers: ["Cookie": "own=1"]))
        #expect(transport.requests.value.map { $0.headers["Cookie"] } == ["own=1", "at=other.example"])
    }
}
