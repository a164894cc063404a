import Testing

@testable import StreamsHTTP

@Suite struct ProxyExceptionsTests {
    @Test(arguments: [
        ("example.com", "example.com"), ("example.com", "www.example.com"), (".example.com", "example.com"),
        (".example.com", "a.b.example.com"), ("example.com.", "example.com"), ("example.com", "Example.COM."),
        ("a, example.com\tb", "example.com"), ("a example.com", "example.com"), ("*", "example.com"),
        ("*", "127.0.0.1"), ("127.0.0.1", "127.0.0.1"), ("10.0.0.0/8", "10.1.2.3"), ("10.1.2.3/32", "10.1.2.3"),
        ("0.0.0.0/0", "10.1.2.3"), ("::1", "::1"), ("fd00::/8", "fd12::1"), ("0:0:0:0:0:0:0:1", "::1"),
    ])
    func containsAHost(list: String, host: String) {
        #expect(ProxyExceptions(list: list).contains(host))
    }

    @Test(arguments: [
        ("", "example.com"), (" , ", "example.com"), ("example.com", "notexample.com"),
        ("www.example.com", "example.com"),
        ("*.example.com", "www.example.com"), ("*,a", "example.com"), (".", "example.com"), ("0.0.1", "127.0.0.1"),
        ("10.0.0.0/8", "11.0.0.1"), ("10.0.0.0/33", "10.0.0.0"), ("10.0.0.0/-8", "10.0.0.0"), ("10.0.0.0/", "10.0.0.0"),
        ("::/0", "10.0.0.0"), ("10.0.0.0/8", "10.example.com"), ("fd00::/129", "fd00::"),
    ])
    func doesNotContainAnotherHost(list: String, host: String) {
        #expect(!ProxyExceptions(list: list).contains(host))
    }

    @Test func namesMayBeOfAnyScript() {
        #expect(ProxyExceptions(["a", "bücher.example"]).contains("xn--bcher-kva.example"))
        #expect(!ProxyExceptions([]).contains("a"))
    }
}
