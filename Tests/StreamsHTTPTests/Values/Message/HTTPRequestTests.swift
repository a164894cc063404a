import Testing

@testable import StreamsHTTP

@Suite struct HTTPRequestTests {
    private func url(_ request: HTTPRequest, base: String? = nil) throws -> String {
        try URLResolver(baseURL: base.flatMap { URL(string: $0) }).target(of: request).url.text
    }

    @Test func aChainMakesARequest() throws {
        let path = "/api/v2/pokemon"
        let request = HTTPRequest(scheme: .https, method: .get)
            .settingHost("pokeapi.co")
            .settingPath("\(path)")
            .addingQueryItem("offset", "10")
            .addingQueryItem("limit", "5")
        #expect(request.method == .get)
        #expect(try url(request) == "https://pokeapi.co/api/v2/pokemon?offset=10&limit=5")
    }

    @Test func theOrderOfAChainDoesNotMatter() throws {
        let request = HTTPRequest(scheme: .http).settingPath("a/b").addingQueryItem("q", "1")
            .settingHost("h", port: 81).settingScheme(.https)
        #expect(try url(request) == "https://h:81/a/b?q=1")
        #expect(try url(HTTPRequest(.put, host: "h", path: "x")) == "https://h/x")
    }

    @Test func partsOfAnAbsoluteTargetAreReplacedAlone() throws {
        let request = HTTPRequest(.get, "http://user@h:81/p/q?a=1#f")
        #expect(request.settingScheme(.https).target == "https://user@h:81/p/q?a=1#f")
        #expect(request.settingHost("g").target == "http://user@g/p/q?a=1#f")
        #expect(request.settingHost("g:82").target == "http://user@g:82/p/q?a=1#f")
        #expect(request.settingHost("::1", port: 83).target == "http://user@[::1]:83/p/q?a=1#f")
        #expect(request.settingPath("/x").target == "http://user@h:81/x?a=1#f")
    }

    @Test func noPartBecomesAnother() throws {
        let request = HTTPRequest(.get, "http://h/p?a=1")
        #expect(try url(request.settingPath("/x?y#z")) == "http://h/x%3Fy%23z?a=1")
        #expect(try url(HTTPRequest(.get, "/").settingPath("//evil/x"), base: "http://h/v1") == "http://h/v1/evil/x")
        #expect(try url(HTTPRequest(.get, "/").settingPath("a:b"), base: "http://h/v1") == "http://h/v1/a:b")
        let path = request.settingPath(HTTPRequest.path(components: "users", "a/b", "..", "grö ße", "%"))
        #expect(try url(path) == "http://h/users/a%2Fb/%2E%2E/gr%C3%B6%20%C3%9Fe/%25?a=1")
    }

    @Test(arguments: [
        "", "evil/h", "user@evil", "evil?", "evil#", "a b", "h\r\nX: 1", "h\n", "%", "a\\b", "h:x", "::1/x",
        "a:b:c@evil/", "a:b@evil/.h:443", "::1]@evil", "[::1]@evil", "[::1/x",
    ])
    func whatIsNoHostIsRefused(host: String) async throws {
        let request = HTTPRequest(.get, "http://h/").settingHost(host)
        await expect(refusing: .malformedURL(Redaction.usual.redacting(url: request.target))) { request }
    }

    /// A delimiter that a mark follows is one letter to Swift, and still a delimiter in a URL.
    @Test(arguments: ["\u{301}", "\u{200D}", "\u{FE0F}"])
    func marksBehindDelimitersHideNone(mark: String) throws {
        let slash = HTTPRequest(.get, "http://h/\(mark)@p").settingHost("g")
        #expect(slash.target.unicodeScalars.elementsEqual("http://g/\(mark)@p".unicodeScalars))
        let user = HTTPRequest(.get, "http://user@\(mark)h/p").settingHost("g")
        #expect(user.target.unicodeScalars.elementsEqual("http://user@g/p".unicodeScalars))
        let path = HTTPRequest(.get, "/").settingPath("//\(mark)evil")
        #expect(path.target.unicodeScalars.elementsEqual("/\(mark)evil".unicodeScalars))
        let query = HTTPRequest(.get, "/p?\(mark)a=1").settingPath("/q")
        #expect(query.target.unicodeScalars.elementsEqual("/q?\(mark)a=1".unicodeScalars))
    }

    @Test(arguments: ["/a\r\nX: 1", "/a\nb", "/a b", "/a\u{0}"])
    func pathsWithLineBreaksAreRefused(path: String) async {
        let request = HTTPRequest(.get, "http://127.0.0.1/").settingPath(path)
        await expect(refusing: .malformedURL("http://127.0.0.1\(path)")) { request }
        await expect(refusing: .malformedURL("http://127.0.0.1/?q=\(path)")) {
            HTTPRequest(.get, "http://127.0.0.1/?q=\(path)")
        }
    }

    @Test(arguments: ["GET\r\nX: 1", "GE T", ""])
    func methodsWithLineBreaksAreRefused(method: String) async {
        await expect(refusing: .method(method)) {
            HTTPRequest(.get, "http://127.0.0.1/").settingMethod(HTTPMethod(rawValue: method))
        }
    }

    @Test func lineBreaksOfItemsAreEncoded() throws {
        let request = HTTPRequest(.get, "http://h/").addingQueryItem("a\r\nb", "c\n")
        #expect(try url(request) == "http://h/?a%0D%0Ab=c%0A")
    }

    @Test func queryItemsAreChangedByName() {
        let request = HTTPRequest(.get, "/", query: ["a": "1", "b": "2", "a": "3"])
        #expect(request.replacingQueryItem("a", with: "4").query == ["a": "4", "b": "2"])
        #expect(request.replacingQueryItem("c", with: "4").query == request.query)
        #expect(request.settingQueryItem("c", "4").query.last == HTTPQuery.Item("c", "4"))
        #expect(request.removingQueryItem("a").query == ["b": "2"])
        #expect(request.addingQueryItems(["a": "5", "d": nil]).query.percentEncoded == "a=1&b=2&a=3&a=5&d")
    }

    @Test(arguments: [
        ("/p?a=0", "/p"), ("/p?%61=0&b&a#f", "/p?b#f"), ("?b=a&a&c=", "?b=a&c="), ("/a=1", "/a=1"), ("/p?", "/p?"),
        ("http://h?a#a=1", "http://h#a=1"), ("/p?a=1&&b", "/p?&b"), ("/p?aa=1", "/p?aa=1"),
    ])
    func removesItemsOfTheTarget(target: String, expected: String) {
        let request = HTTPRequest(.get, target, query: ["a": "1"])
        #expect(request.removingQueryItem("a").target == expected && request.removingQueryItem("a").query.isEmpty)
        #expect(request.settingQueryItem("a", "2").target == expected)
        #expect(request.settingQueryItem("a", "2").query == ["a": "2"])
    }

    @Test func headersAreChangedByName() {
        let request = HTTPRequest(.get, "/", headers: ["A": "1", "B": "2"])
        #expect(request.settingHeaders(["a": "3", "C": "4"]).headers == ["a": "3", "C": "4", "B": "2"])
        #expect(request.addingHeaders(["A": "3"]).headers == ["A": "1", "B": "2", "A": "3"])
        #expect(request.removingHeader("a").headers == ["B": "2"])
    }

    @Test func credentialsAreSensitive() throws {
        let bearer = HTTPRequest(.get, "/").settingAuthorization(.bearer("old")).settingAuthorization(.bearer("token"))
        #expect(bearer.headers.values(for: "Authorization") == ["Bearer token"])
        #expect(try #require(bearer.headers.first).isSensitive)
        let basic = HTTPRequest(.get, "/").settingAuthorization(.basic(user: "ü", password: "p:w"))
        #expect(basic.headers["Authorization"] == "Basic w7w6cDp3")
    }

    @Test func bodiesSayWhatTheyAre() throws {
        let request = HTTPRequest(.post, "/")
        let json = request.settingBody(.json(Greeting(text: "hi")))
        #expect(json.body.contentType == "application/json")
        #expect(json.body.length == nil && json.body.isReplayable)
        #expect(request.settingBody(.form(["a": "b"])).body.contentType == "application/x-www-form-urlencoded")
        let form = try request.settingBody(.form(encoding: Greeting(text: "x y"), encoder: QueryEncoder()))
        #expect(form.body.length == 8)
        let multipart = try request.settingBody(.multipart([.text("a", "b")], boundary: "x"))
        #expect(multipart.body.contentType == "multipart/form-data; boundary=x")
    }

    @Test func copiesLeaveTheOriginalAsItWas() {
        let request = HTTPRequest(.get, "/a")
        _ = request.settingPath("/b").settingHeader("A", "1").addingQueryItem("q", "1").requiringAuthorization()
        #expect(request.target == "/a" && request.headers.isEmpty && request.query.isEmpty)
        #expect(request.options.requiresAuthorization == nil)
    }
}
