import StreamsHTTP
import Testing

/// Cookies that a program lists, sets and removes.
@Suite struct CookieJarTests {
    private let jar = CookieJar()
    private let url = URL(literal: "https://api.example.com/v1/users?x=/y")

    @Test func setsListsAndRemoves() throws {
        #expect(jar.set(Cookie("a", "1", domain: ".Example.com", includesSubdomains: true)))
        #expect(jar.set(Cookie("b", "2", domain: "api.example.com", path: "/v1")))
        #expect(jar.set(Cookie("c", "3", domain: "example.org")))
        #expect(jar.cookies.map(\.name) == ["a", "b", "c"])
        #expect(jar.cookies(for: url).map(\.name) == ["b", "a"])
        #expect(jar.cookies(for: URL(literal: "wss://api.example.com/v1")).map(\.name) == ["b", "a"])
        #expect(jar.cookies(for: URL(literal: "http://api.example.com/v1")).isEmpty)
        #expect(jar.cookies(for: try #require(URL(string: "mailto:a@example.com"))).isEmpty)
        let first = try #require(jar.cookies.first)
        jar.set(Cookie("a", "changed", domain: "example.com", includesSubdomains: true))
        jar.remove(first)
        #expect(jar.cookies.map(\.value) == ["changed", "2", "3"])
        jar.remove(jar.cookies[0])
        jar.removeAll { $0.domain == "example.org" }
        #expect(jar.cookies.map(\.name) == ["b"])
        jar.set(Cookie("b", "", domain: "api.example.com", path: "/v1", expires: Date(timeIntervalSince1970: 0)))
        #expect(jar.cookies.isEmpty)
        jar.set(Cookie("d", "4", domain: "example.org"))
        jar.removeAll()
        #expect(jar.cookies.isEmpty)
    }

    @Test func keepsWhatAServerSays() async throws {
        let transport = AnsweringTransport { _, _ in
            .reply(.ok, ["Set-Cookie": "a=1; HttpOnly; SameSite=Strict; Secure; Max-Age=100; Path=/; Domain=h.example"])
        }
        let client = transport.client { [jar] in
            $0.baseURL = URL(literal: "https://www.h.example")
            $0.cookies = jar
        }
        _ = try await client.response(for: HTTPRequest(.get, "/"))
        let cookie = try #require(jar.cookies.first)
        #expect(cookie.isHTTPOnly && cookie.isSecure && cookie.sameSite == .strict && cookie.includesSubdomains)
        #expect(cookie.domain == "h.example" && cookie.path == "/" && cookie.expires != nil)
    }

    @Test(arguments: [
        Cookie("a", "1;b=2", domain: "h"), Cookie("a;b", "1", domain: "h"), Cookie("a=b", "1", domain: "h"),
        Cookie("a", "1\n", domain: "h"), Cookie("a\r", "1", domain: "h"), Cookie("a", "1\0", domain: "h"),
        Cookie("", "", domain: "h"), Cookie(" a", "1", domain: "h"), Cookie("a", "1 ", domain: "h"),
        Cookie("a", "1", domain: ""), Cookie("a", "1", domain: "h/x"), Cookie("a", "1", domain: "#h"),
        Cookie("a", "1", domain: "h", path: ""), Cookie("a", "1", domain: "h", path: "x"),
        Cookie("a", "1", domain: "h", path: "/\n"), Cookie("a", "1", domain: "com", includesSubdomains: true),
        Cookie("a", "1", domain: "127.0.0.1", includesSubdomains: true),
        Cookie("__Host-a", "1", domain: "h", path: "/x"),
        Cookie("__secure-a", "1", domain: "h", isSecure: false), Cookie("", "__Host-a=1", domain: "h"),
        Cookie("a", "1", domain: "h", isSecure: false, sameSite: Cookie.SameSite.none),
        Cookie("a", String(repeating: "x", count: 4096), domain: "h"),
    ])
    func refusesWhatNoServerCouldSet(cookie: Cookie) {
        #expect(!jar.set(cookie))
        #expect(jar.cookies.isEmpty)
    }

    /// A domain in capitals belongs to no host, so the cookie would never be sent.
    @Test(arguments: ["API.example.com", "::A", "\u{212A}.example"]) func refusesDomainsInCapitals(domain: String) {
        var cookie = Cookie("a", "1", domain: "h")
        cookie.domain = domain
        #expect(!jar.set(cookie))
    }

    /// The jar's cookie has another lifetime than the program's.
    @Test func removesWhatItHasLimited() {
        let cookie = Cookie("a", "1", domain: "h", expires: .distantFuture)
        jar.set(cookie)
        #expect(jar.cookies != [cookie])
        jar.remove(cookie)
        #expect(jar.cookies.isEmpty)
    }

    @Test func takesDatesThatAreNone() {
        for seconds in [Double.nan, .infinity, -.infinity, 1e300] {
            jar.set(Cookie("a\(seconds)", "1", domain: "h", expires: Date(timeIntervalSince1970: seconds)))
        }
        #expect(jar.cookies.allSatisfy { $0.name != "a-inf" })
    }

    @Test func neverShowsValues() {
        let cookie = Cookie("session", "s3cret", domain: "example.com")
        jar.set(cookie)
        var configuration = HTTPClient.Configuration()
        configuration.cookies = jar
        let client = HTTPClient(configuration: configuration)
        var texts = [
            "\(cookie)", "\(jar)", "\(jar.cookies)", "\(configuration)", "\(client)", String(reflecting: cookie),
        ]
        for value in [cookie, jar, configuration, client] as [Any] {
            var text = ""
            dump(value, to: &text)
            texts.append(text)
        }
        for text in texts { #expect(!text.contains("s3cret")) }
        #expect("\(cookie)" == "session=<hidden>; domain=example.com; path=/")
        #expect(texts.last?.contains("CookieJar") == true)
    }

    @Test func isSharedByThreads() async {
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask { [jar, url] in
                    for round in 0..<500 {
                        jar.set(Cookie("n\(round % 60)", "\(number)", domain: "h\(number).example"))
                        _ = jar.cookies(for: url)
                        if round % 100 == 99 { jar.removeAll { $0.name == "n1" } }
                        _ = jar.cookies
                    }
                }
            }
        }
        #expect(jar.cookies.count >= 8 * 49 && jar.cookies.count <= 8 * 50)
    }
}
