import Testing

@testable import StreamsHTTP

@Suite struct URLResolverTests {
    private func resolve(_ request: HTTPRequest, base: String? = nil) throws -> URLResolver.Target {
        try URLResolver(baseURL: base.flatMap { URL(string: $0) }).target(of: request)
    }

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
        ("https://h/v1", "./a/../b", "https://h/v1/b"),
        ("https://h/v1", "../../a", "https://h/a"), ("https://h/v1/../v2/.", "a", "https://h/v2/a"),
        ("https://h/v1", "..?q=/../x", "https://h/?q=/../x"),
        ("https://h", "http://i/simple/a/../../b.whl", "http://i/b.whl"), ("https://h", "http://i/..", "http://i/"),
        ("https://h", "http://i/a/./ü/../[b]/.", "http://i/a/%5Bb%5D/"),
        ("https://h", "http://i/a//../b", "http://i/a/b"),
        ("https://h", "http://i/.../.a/..b/a.", "http://i/.../.a/..b/a."),
        ("https://h", "http://i/a/%2e%2e/b/..;c", "http://i/a/%2e%2e/b/..;c"),
        ("https://h", "http://i/?q=/../", "http://i/?q=/../"), ("https://h", "http://u:p@i/../b", "http://i/b"),
        ("https://h/v1", "a//b", "https://h/v1/a//b"),
        ("https://h/v1", "/a:b", "https://h/v1/a:b"),
        ("https://h/v1#f", "a", "https://h/v1/a#f"),
        ("https://h/v1", "größe", "https://h/v1/gr%C3%B6%C3%9Fe"),
        ("https://h", "/s?filter[name]=a%20b", "https://h/s?filter%5Bname%5D=a%20b"),
        ("https://h", "/[a]/%2f?%c3%bc=[%]", "https://h/%5Ba%5D/%2f?%c3%bc=%5B%25%5D"),
        ("https://h", "http://i/ü%20%zz%4#%41ü", "http://i/%C3%BC%20%25zz%254#%41%C3%BC"),
        ("https://[::1]:81/v1", "a", "https://[::1]:81/v1/a"),
        ("https://h/v1", "HTTPS://Other/X", "HTTPS://Other/X"),
    ])
    func targetsAreAppendedToTheBase(base: String, target: String, expected: String) throws {
        let resolved = try resolve(HTTPRequest(.get, target), base: base)
        #expect(resolved.url.url.absoluteString == expected)
    }

    @Test(arguments: [
        ("https://h/v1", "../b", "https://h/v1/../b"), ("https://h", "http://i/a/./../b", "http://i/a/./../b"),
        ("https://h", "http://i/ü/..", "http://i/%C3%BC/.."),
    ])
    func keepsDotSegmentsThatAreWanted(base: String, target: String, expected: String) throws {
        let resolver = URLResolver(baseURL: URL(string: base))
        let resolved = try resolver.target(of: HTTPRequest(.get, target), keepsDotSegments: true)
        #expect(resolved.url.text == expected)
    }

    @Test func queryItemsCannotBreakOut() throws {
        let request = HTTPRequest(.get, "http://h/p?a=1#f").addingQueryItem("b&c", "d=e #ü").addingQueryItem("g", nil)
        let resolved = try resolve(request)
        #expect(resolved.url.url.absoluteString == "http://h/p?a=1&b%26c=d%3De%20%23%C3%BC&g#f")
    }

    @Test func itemsAreEncodedOnceBesideAnIllegalQuery() throws {
        let request = HTTPRequest(.get, "?a=ü").addingQueryItem("b c", "%")
        #expect(try resolve(request, base: "http://h/v1").url.text == "http://h/v1?a=%C3%BC&b%20c=%25")
    }

    @Test func credentialsBecomeAHeader() throws {
        let resolved = try resolve(HTTPRequest(.get, "http://us%40er:p%3Ass@h/"))
        #expect(resolved.url.url.absoluteString == "http://h/")
        #expect(resolved.authorization == "Basic dXNAZXI6cDpzcw==")
    }

    @Test func credentialsAreDecodedOnce() throws {
        let resolved = try resolve(HTTPRequest(.get, "http://us%40er|ü:p%25:[s]@h:81/"))
        #expect(resolved.url.text == "http://h:81/")
        #expect(resolved.authorization == "Basic \(Data("us@er|ü:p%:[s]".utf8).base64EncodedString())")
        #expect(try resolve(HTTPRequest(.get, "http://@h/")).authorization == nil)
    }

    /// UTS 46, as in the WHATWG's URL standard.
    @Test(arguments: [
        ("bücher.example", "xn--bcher-kva.example"), ("b%C3%BCcher.example", "xn--bcher-kva.example"),
        ("BU\u{308}CHER.example:81", "xn--bcher-kva.example:81"), ("faß.de", "xn--fa-hia.de"),
        ("日本。jp", "xn--wgv71a.jp"), ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("i❤.ws", "xn--i-7iq.ws"), ("%41.example", "A.example"), ("a--b", "a--b"), ("h:", "h:"),
        ("[fe80::1%25eth0]", "[fe80::1%25eth0]"), ("[fe80::1%eth0]:81", "[fe80::1%25eth0]:81"),
        ("[FE80::1%25en-0.1_~]", "[FE80::1%25en-0.1_~]"), ("[::ffff:192.0.2.1]", "[::ffff:192.0.2.1]"),
    ])
    func hostsAreWrittenInOneForm(host: String, expected: String) throws {
        let resolved = try resolve(HTTPRequest(.get, "http://\(host)/a"))
        #expect(resolved.url.text == "http://\(expected)/a")
        #expect(resolved.url.url.absoluteString == resolved.url.text)
        #expect(try resolve(HTTPRequest(.get, resolved.url.text)).url == resolved.url)
        let resolver = URLResolver(baseURL: URL(string: "http://a/"))
        #expect(try resolver.target(ofLocation: "//u:p@\(host)/a").url == resolved.url)
    }

    /// The second form of a character may have delimiters: ℀ is a/c.
    @Test(arguments: [
        "ex℀mple.com", "ü\u{2048}", "-ü.example", "ü%00.example", "%C3.example", "\u{AD}", "a%2Fb", "a%20b", "h:x",
        "h:-1", "h:1:2", "::1", "[::1", "[::1]x", "[::1]:x", "[192.0.2.1]", "[v1.a]", "[]", "[fe80::1%]",
        "[fe80::1%25e/0]", "[fe80::1%25e%200]", "[fe80::1%25sixteencharacter]",
    ])
    func otherHostsAreRefused(host: String) {
        #expect(throws: HTTPError.Reason.self) { try resolve(HTTPRequest(.get, "http://\(host)/")) }
    }

    @Test func credentialsOfTheBaseBecomeAHeader() throws {
        let resolved = try resolve(HTTPRequest(.get, "a?b"), base: "http://user:pass@h:81/v1")
        #expect(resolved.url.text == "http://h:81/v1/a?b")
        #expect(resolved.authorization == "Basic dXNlcjpwYXNz")
    }

    @Test func aBaseThatIsNoHTTPURLFailsRelativeTargetsAlone() throws {
        #expect(throws: HTTPError.Reason.self) { try resolve(HTTPRequest(.get, "a"), base: "ftp://h/v1") }
        #expect(try resolve(HTTPRequest(.get, "http://h/a"), base: "ftp://h/v1").url.text == "http://h/a")
    }

    /// RFC 3986, section 5.4.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
        ("/s?filter[name]=a%20b#[%41]", "http://a/s?filter%5Bname%5D=a%20b#%5B%41%5D"),
        ("http://u@g/../h", "http://g/h"), ("http://g/a/../h", "http://g/h"), ("//g/./h?y", "http://g/h?y"),
        ("g h/ü", "http://a/b/c/g%20h/%C3%BC"),
    ])
    func locationsResolveAgainstTheRequest(location: String, expected: String) throws {
        let resolver = URLResolver(baseURL: URL(string: "http://a/b/c/d;p?q"))
        #expect(try resolver.target(ofLocation: location).url.text == expected)
    }

    @Test(arguments: ["g:h", ":g", "http:g", "http://", "//", "http://a b:c/"])
    func locationsWithoutHostAreRefused(location: String) {
        let resolver = URLResolver(baseURL: URL(string: "http://a/b/c/d;p?q"))
        #expect(throws: HTTPError.Reason.self) { try resolver.target(ofLocation: location) }
    }

    @Test(arguments: [
        "//h/x", "http://", "http:///x", "http://a b/", "http://h/\r\nX: 1", "http://h:99999/", "http://h/a b",
    ])
    func malformedTargetsAreRefused(target: String) async {
        await expect(refusing: .malformedURL(target)) { HTTPRequest(.get, target) }
    }

    @Test(arguments: ["", "no-scheme", "/path?a=b"])
    func relativeTargetsNeedABaseURL(target: String) async {
        await expect(refusing: .missingBaseURL(target)) { HTTPRequest(.get, target) }
    }

    @Test(arguments: ["api.example.com/v1", "http://", "/v1"])
    func malformedBaseURLsAreRefused(base: String) async {
        let client = HTTPClient(baseURL: URL(string: base))
        await expect(refusing: .malformedBaseURL(base), client: client) { HTTPRequest(.get, "/path") }
    }

    @Test func otherSchemesAreRefused() async {
        await expect(refusing: .unsupportedScheme("ftp")) { HTTPRequest(.get, "ftp://127.0.0.1/") }
    }

    /// The text before the colon of a URL without a scheme is a user name or a key.
    @Test(arguments: ["key:@h/p", "key:s3cret@h/p?next=https://app"])
    func credentialsAreNoScheme(target: String) async {
        await expect(refusing: .malformedURL(target.withoutUserInformation)) { HTTPRequest(.get, target) }
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
        ("http://user:s3cret@\u{301}a b/", "http://\u{301}a b/"), ("http://u:p@h/[a]%20b", "http://h/[a]%20b"),
    ])
    func targetsAreShownWithoutCredentials(target: String, shown: String) {
        #expect(target.withoutUserInformation == shown)
    }
}
