import Testing

@testable import StreamsHTTP

/// The attacks in the table of the article "Security": what a server does, and a request that must not show it.
@Suite struct CookieAttackTests {
    /// A field that is refused altogether.
    private static let refusals: [(field: String, url: String)] = [
        // All hosts below a public suffix.
        ("a=b; Domain=com", "https://evil.com/"), ("a=b; Domain=co.uk", "https://evil.co.uk/"),
        ("a=b; Domain=.github.io", "https://evil.github.io/"), ("a=b; Domain=internal", "https://evil.internal/"),
        ("a=b; Domain=com.", "https://evil.com./"), ("a=b; Domain=xn--p1ai", "https://evil.xn--p1ai/"),
        // Other hosts.
        ("a=b; Domain=victim.com", "https://evil.com/"), ("a=b; Domain=victim.evil.com", "https://evil.com/"),
        ("a=b; Domain=good.com", "https://notgood.com/"), ("a=b; Domain=..evil.com", "https://evil.com/"),
        ("a=b; Domain=evil.com.", "https://evil.com/"), ("a=b; Domain=evil.com", "https://evil.com./"),
        ("a=b; Domain=evil.com; Domain=victim.com", "https://evil.com/"),
        ("a=b; Domain=evil.\u{212A}om", "https://evil.kom/"), ("a=b; Domain=evil.com:443", "https://evil.com/"),
        // Addresses, also in forms that only resolvers take for addresses.
        ("a=b; Domain=0.0.1", "https://127.0.0.1/"), ("a=b; Domain=0.1", "https://10.0.1/"),
        ("a=b; Domain=1.0x7f", "https://2.1.0x7f/"), ("a=b; Domain=1", "https://[2001:db8::1]/"),
        // Prefixes without what they promise, in any capitals.
        ("__Secure-a=b", "https://example.com/"), ("__sEcUrE-a=b", "https://example.com/"),
        ("__Host-a=b; Secure", "https://a.example.com/b/"),
        ("__Host-a=b; Path=/", "https://example.com/"), ("__HOST-a=b; Secure; Path=/x", "https://example.com/x"),
        ("__Host-a=b; Secure; Path=/; Domain=example.com", "https://example.com/"),
        ("__Secure-a=b; Secure", "http://example.com/"), ("__Host-a=b; Secure; Path=/", "http://example.com/"),
        ("=__Secure-a=b; Secure", "https://example.com/"), ("__host-a; Secure; Path=/", "https://example.com/"),
        // Without TLS.
        ("a=b; Secure", "http://example.com/"), ("a=b; Secure", "http://localhost.example.com/"),
        ("a=b; SameSite=None", "https://example.com/"),
        // Injection and size.
        ("a=b\r\nX: y", "https://example.com/"), ("a=b\0", "https://example.com/"), ("", "https://example.com/"),
        ("a=\(String(repeating: "x", count: 4096))", "https://example.com/"),
        ("\(String(repeating: "x", count: 4096))=b", "https://example.com/"),
        // Hosts that cannot be told from others in a file.
        ("a=b", "https://.example.com/"), ("a=b", "https://a..example.com/"), ("a=b", "https://exam!ple.com/"),
    ]

    @Test(arguments: refusals)
    func refuses(field: String, url: String) {
        let session = CookieSession()
        session.receive(field, from: url)
        #expect(session.jar.cookies.isEmpty, "\(field) from \(url)")
    }

    /// A field that is taken, and a URL that does not get it.
    private static let confinements: [(field: String, url: String, other: String)] = [
        // Siblings, and hosts that end alike.
        ("a=b", "https://a.example.com/", "https://b.example.com/"),
        ("a=b", "https://example.com/", "https://a.example.com/"),
        ("a=b; Domain=example.com", "https://a.example.com/", "https://badexample.com/"),
        ("a=b; Domain=example.com", "https://a.example.com/", "https://example.com.evil.com/"),
        ("a=b; Domain=example.com", "https://a.example.com/", "https://example.com./"),
        ("a=b; Domain=github.io", "https://github.io/", "https://evil.github.io/"),
        ("a=b; Domain=127.0.0.1", "https://127.0.0.1/", "https://1.127.0.0.1/"),
        // Paths.
        ("a=b; Path=/admin", "https://example.com/admin", "https://example.com/administrator"),
        ("a=b; Path=/admin", "https://example.com/admin", "https://example.com/Admin/"),
        ("a=b; Path=/admin/", "https://example.com/admin/", "https://example.com/admin"),
        ("a=b", "https://example.com/a/b", "https://example.com/ab"),
        ("a=b; Path=/a", "https://example.com/a", "https://example.com/?/a"),
        ("a=b; Path=/a", "https://example.com/a", "https://example.com/%61"),
        // Without TLS.
        ("a=b; Secure", "https://example.com/", "http://example.com/"),
        ("a=b; Secure", "http://localhost/", "http://example.com/"),
    ]

    @Test(arguments: confinements)
    func confines(field: String, url: String, other: String) {
        let session = CookieSession()
        session.receive(field, from: url)
        #expect(session.field(for: url) == "a=b")
        #expect(session.field(for: other) == "", "\(field) from \(url)")
    }

    /// Cookies of one host, whatever the port: that is no boundary for cookies.
    @Test func sharesCookiesAmongPorts() {
        let session = CookieSession()
        session.receive("a=b", from: "https://example.com:8443/")
        #expect(session.field(for: "https://EXAMPLE.com/") == "a=b")
    }

    @Test(arguments: ["http://localhost/", "http://127.0.0.1:8080/", "http://[::1]/", "http://127.9.9.9/"])
    func trustsLoopback(url: String) {
        let session = CookieSession()
        session.receive("__Host-a=b; Secure; Path=/", from: url)
        #expect(session.field(for: url) == "__Host-a=b")
    }

    /// A server that is reached without TLS changes and removes no secure cookie, and puts none before it.
    @Test(arguments: [
        "a=evil", "a=evil; Max-Age=0", "a=evil; Path=/login/en", "a=evil; Domain=example.com; Path=/login",
        "a=evil; Path=/login",
    ])
    func leavesSecureCookiesAlone(field: String) {
        let session = CookieSession()
        session.receive("a=b; Secure; Path=/login", from: "https://www.example.com/login/")
        session.receive(field, from: "http://www.example.com/login/x")
        #expect(session.jar.pairs == ["a=b"])
    }

    @Test func leavesSecureCookiesOfOtherDomainsAlone() {
        let session = CookieSession()
        session.receive("a=b; Secure; Domain=example.com", from: "https://example.com/")
        session.receive("c=d; Secure", from: "https://a.b.example.com/")
        session.receive("a=evil", from: "http://a.example.com/")
        session.receive("c=evil; Domain=example.com", from: "http://example.com/")
        #expect(session.jar.pairs == ["a=b", "c=d"])
        // Another path, another name, or TLS.
        session.receive("e=f", from: "http://a.example.com/")
        session.receive("a=g; Domain=example.com", from: "https://example.com/")
        #expect(session.jar.pairs == ["a=g", "c=d", "e=f"])
        session.receive("a=h", from: "http://a.example.com/")
        #expect(session.jar.pairs.last == "a=h")
    }

    @Test func keepsCookiesOfAPublicSuffixItself() {
        let session = CookieSession()
        session.receive("a=b; Domain=github.io", from: "https://github.io/")
        #expect(session.field(for: "https://github.io/") == "a=b")
        #expect(session.jar.cookies.map(\.includesSubdomains) == [false])
    }

    @Test func onlyAStrangersOwnCookiesAreEvicted() {
        let session = CookieSession()
        session.receive("session=1", from: "https://example.com/")
        session.receive((1...5000).map { "n\($0)=1" }, from: "https://evil.com/")
        session.receive((1...200).map { "n\($0)=1; Domain=evil.com" }, from: "https://a.evil.com/")
        #expect(session.field(for: "https://example.com/") == "session=1")
        #expect(session.jar.cookies.count == 51)
    }
}
