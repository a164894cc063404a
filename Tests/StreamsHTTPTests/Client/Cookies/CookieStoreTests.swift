import Testing

@testable import StreamsHTTP

/// The limits of a jar, the order of its cookies and their lifetimes, in the time of a test.
@Suite struct CookieStoreTests {
    private let url = "https://example.com/a/b"

    @Test func sendsLongerPathsAndEarlierCookiesFirst() {
        let session = CookieSession()
        session.receive("a=1; Path=/", "b=2; Path=/a", "c=3; Path=/", "d=4; Path=/a/b", from: url)
        session.receive("a=5; Path=/", "", "e", "f=; Domain=example.com; Path=/", from: url)
        #expect(session.field(for: url) == "d=4; b=2; e; a=5; c=3; f=")
        session.receive("a=; Path=/; Max-Age=0", from: url)
        session.receive("a=6; Path=/", from: url)
        #expect(session.field(for: "https://example.com/") == "c=3; f=; a=6")
    }

    @Test func distinguishesDomainsPathsAndHosts() {
        let session = CookieSession()
        session.receive(
            "a=1", "a=2; Path=/", "a=3; Domain=example.com", "a=4; Domain=example.com; Path=/", from: url)
        #expect(session.field(for: url) == "a=1; a=3; a=2; a=4")
    }

    @Test func expires() {
        var session = CookieSession(at: Date(timeIntervalSince1970: 1_700_000_000))
        session.receive("a=1; Max-Age=10", "b=2; Expires=Tue, 14 Nov 2023 22:13:40 GMT", "c=3", from: url)
        session.receive("d=4; Max-Age=30; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "e=5; Expires=nonsense", from: url)
        #expect(session.field(for: url) == "a=1; b=2; c=3; d=4; e=5")
        session.wait(9.5)
        #expect(session.field(for: url) == "a=1; b=2; c=3; d=4; e=5")
        session.wait(0.5)
        #expect(session.field(for: url) == "b=2; c=3; d=4; e=5")
        session.wait(10)
        #expect(session.field(for: url) == "c=3; d=4; e=5")
        session.wait(1000 * 86_400)
        #expect(session.field(for: url) == "c=3; e=5")
    }

    @Test(arguments: ["Max-Age=99999999999999999999", "Expires=Fri, 31 Dec 9999 23:59:59 GMT", "Max-Age=34560001"])
    func keepsNoCookieFor400Days(attribute: String) {
        var session = CookieSession()
        session.receive("a=1; \(attribute)", from: url)
        session.wait(400 * 86_400 - 1)
        #expect(session.field(for: url) == "a=1")
        session.wait(1)
        #expect(session.field(for: url) == "")
    }

    @Test func keeps4096BytesOfNameAndValue() {
        let session = CookieSession()
        session.receive("ab=\(String(repeating: "x", count: 4094))", from: url)
        session.receive("cd=\(String(repeating: "x", count: 4095))", from: url)
        #expect(session.jar.cookies.map(\.name) == ["ab"])
    }

    @Test func evictsTheLeastRecentlyUsedOfADomain() {
        let session = CookieSession()
        session.receive("s0=1; Secure; Path=/", from: url)
        session.receive((1...49).map { "n\($0)=1; Path=/\($0 == 1 ? "" : "x")" }, from: url)
        #expect(session.field(for: url) == "s0=1; n1=1")
        session.receive("m=1", from: url)
        let names = session.jar.cookies.map(\.name)
        #expect(names.count == 50 && !names.contains("n2") && names.contains("s0") && names.contains("n1"))
    }

    @Test func evictsInsecureCookiesFirst() {
        let session = CookieSession()
        session.receive((1...50).map { "s\($0)=1; Secure" }, from: url)
        session.receive("n=1", from: url)
        #expect(session.jar.cookies.map(\.name) == (1...50).map { "s\($0)" })
        session.receive("s51=1; Secure", from: url)
        #expect(session.jar.cookies.map(\.name) == (2...51).map { "s\($0)" })
    }

    @Test func evictsExpiredCookiesBeforeOthers() {
        var session = CookieSession()
        session.receive((1...49).map { "n\($0)=1" }, from: url)
        session.receive("short=1; Max-Age=1", from: url)
        session.wait(2)
        session.receive("new=1", from: url)
        #expect(session.jar.cookies.map(\.name) == (1...49).map { "n\($0)" } + ["new"])
    }

    @Test func keeps3000CookiesInAll() {
        let session = CookieSession()
        for host in 1...61 {
            session.receive((1...50).map { "n\($0)=1" }, from: "https://h\(host).example/")
            // The first host stays in use.
            #expect(session.field(for: "https://h1.example/").contains("n50=1"))
        }
        let cookies = session.jar.cookies
        #expect(cookies.count == 3000 && cookies.count { $0.domain == "h1.example" } == 50)
        #expect(cookies.count { $0.domain == "h2.example" } == 0 && cookies.count { $0.domain == "h3.example" } == 50)
    }

    /// A site with many hosts evicts cookies of its own alone.
    @Test func keeps180CookiesOfASite() {
        let session = CookieSession()
        session.receive("own=1", from: url)
        for host in 1...65 {
            session.receive((1...50).map { "n\($0)=1" }, from: "https://h\(host).evil.co.uk/")
        }
        let cookies = session.jar.cookies
        #expect(cookies.count == 181 && cookies.first?.name == "own")
        let counts = [62: 30, 63: 50, 64: 50, 65: 50]
        #expect(counts.allSatisfy { host, count in cookies.count { $0.domain == "h\(host).evil.co.uk" } == count })
        // Of two hosts below a public suffix, none is the other's site.
        for host in 1...10 { session.receive((1...50).map { "n\($0)=1" }, from: "https://h\(host).co.uk/") }
        #expect(session.jar.cookies.count == 681)
    }

    @Test func evictsInsecureCookiesOfASiteFirst() {
        let session = CookieSession()
        for host in 1...4 {
            session.receive((1...45).map { "s\($0)=1; Secure" }, from: "https://h\(host).example.com/")
        }
        session.receive("n=1", from: "https://example.com/")
        #expect(session.jar.cookies.count == 180 && session.jar.cookies.allSatisfy(\.isSecure))
        session.receive("s=1; Secure; Domain=example.com", from: "https://example.com/")
        #expect(session.jar.cookies.count == 180 && session.jar.cookies.last?.domain == "example.com")
        #expect(session.jar.cookies.first?.name == "s2")
    }

    @Test(arguments: [
        ("a.b.example.com", "example.com"), ("example.com", "example.com"), ("com", "com"),
        ("a.example.co.uk", "example.co.uk"), ("co.uk", "co.uk"), ("a.b.github.io", "b.github.io"),
        ("github.io", "github.io"), ("a.www.ck", "www.ck"), ("localhost", "localhost"), ("127.0.0.1", "127.0.0.1"),
        ("::1", "::1"), ("", ""),
    ])
    func sitesAreBelowPublicSuffixes(domain: String, site: String) {
        #expect(PublicSuffixes.system.site(of: domain) == site)
    }
}
