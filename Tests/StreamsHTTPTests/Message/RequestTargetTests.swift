import Testing

@testable import StreamsHTTP

@Suite struct RequestTargetTests {
    @Test(arguments: [
        ("https://h/v1", "users", "https://h/v1/users"),
        ("https://h/v1/", "/users", "https://h/v1/users"),
        ("https://h", "/a/b?c=d", "https://h/a/b?c=d"),
        ("https://h/v1", "?q=1", "https://h/v1?q=1"),
        ("https://h/v1", "", "https://h/v1"),
        ("https://h/v1", "http://other:81/x", "http://other:81/x"),
        ("https://h/v1", "a%2Fb", "https://h/v1/a%2Fb"),
        ("https://h/", "/", "https://h/"),
        ("https://h//", "", "https://h//"),
        ("https://h/v1//", "a/?", "https://h/v1/a/?"),
        ("https://h/v1?k=1", "", "https://h/v1?k=1"),
        ("https://h/v1?k=1", "a", "https://h/v1/a?k=1"),
        ("https://h/v1?k=1", "a?l=2", "https://h/v1/a?l=2"),
        ("https://h?k=1", "?l=2", "https://h?l=2"),
        ("https://h/v1", "./a/../b", "https://h/v1/./a/../b"),
        ("https://h/v1", "a//b", "https://h/v1/a//b"),
        ("https://h/v1", "/a:b", "https://h/v1/a:b"),
        ("https://h/v1#f", "a", "https://h/v1/a#f"),
        ("https://h/v1", "größe", "https://h/v1/gr%C3%B6%C3%9Fe"),
        ("https://[::1]:81/v1", "a", "https://[::1]:81/v1/a"),
        ("https://h/v1", "HTTPS://Other/X", "HTTPS://Other/X"),
    ])
    func targetsAreAppendedToTheBase(base: String, target: String, expected: String) throws {
        let resolved = try RequestTarget(HTTPRequest(.get, target), baseURL: URL(string: base))
        #expect(resolved.url.absoluteString == expected)
    }

    @Test func queryItemsCannotBreakOut() throws {
        let request = HTTPRequest(.get, "http://h/p?a=1#f").addingQueryItem("b&c", "d=e #ü").addingQueryItem("g", nil)
        let resolved = try RequestTarget(request, baseURL: nil)
        #expect(resolved.url.absoluteString == "http://h/p?a=1&b%26c=d%3De%20%23%C3%BC&g#f")
    }

    @Test func credentialsBecomeAHeader() throws {
        let resolved = try RequestTarget(HTTPRequest(.get, "http://us%40er:p%3Ass@h/"), baseURL: nil)
        #expect(resolved.url.absoluteString == "http://h/")
        #expect(resolved.authorization == "Basic dXNAZXI6cDpzcw==")
    }

    @Test(arguments: [
        "", "no-scheme", "http://", "http:///x", "http://a b/", "http://h/\r\nX: 1", "http://h:99999/", "http://h/a b",
    ])
    func malformedTargetsAreRefused(target: String) async {
        await expect(refusing: .malformedURL(target)) { HTTPRequest(.get, target) }
    }

    @Test func otherSchemesAreRefused() async {
        await expect(refusing: .unsupportedScheme("ftp")) { HTTPRequest(.get, "ftp://127.0.0.1/") }
    }

    /// What stands before the colon of a URL without a scheme is a name, or a key.
    @Test(arguments: ["key:@h/p", "key:s3cret@h/p?next=https://app"])
    func credentialsAreNoScheme(target: String) async {
        await expect(refusing: .malformedURL(target.redactedTarget)) { HTTPRequest(.get, target) }
    }

    @Test func methodsMustBeTokens() async {
        await expect(refusing: .method("GET /x")) { HTTPRequest("GET /x", "http://127.0.0.1/") }
    }

    @Test func methodsWithoutContentHaveNone() async {
        await expect(refusing: .unexpectedBody(.head)) { HTTPRequest(.head, "http://127.0.0.1/", body: .text("x")) }
    }

    @Test func originsAreSchemeHostAndPort() throws {
        let origin = try #require(URL(string: "http://h/a"))
        #expect(origin.hasSameOrigin(as: try #require(URL(string: "HTTP://H:80/b"))))
        for other in ["https://h/a", "http://h:81/a", "http://g/a"] {
            #expect(!origin.hasSameOrigin(as: try #require(URL(string: other))))
        }
    }

    @Test(arguments: [
        ("http://user:pass@h/p", "http://h/p"), ("http://user:pass@a b/", "http://a b/"), ("user:pass@h/", "h/"),
        ("http://user:pa/ss@h:x/", "http://h:x/"), ("/users/@me", "/users/@me"),
        ("http://h/a b", "http://h/a b"), ("//user@h/", "//h/"),
        ("user:s3cret@h/login?next=https://app", "h/login?next=https://app"), ("user:pa//ss@h/", "h/"),
        ("1user:s3cret@h/p", "h/p"), ("_user:s3cret@h/p", "h/p"), ("http://user:pa//ss@a b/", "http://a b/"),
        ("http://user:s3cret@\u{301}a b/", "http://\u{301}a b/"),
    ])
    func targetsAreShownWithoutCredentials(target: String, shown: String) {
        #expect(target.redactedTarget == shown)
    }
}
