import StreamsHTTP
import StreamsLoopback
import Testing

/// Redirects on the wire: what is sent where.
@Suite(.serialized, .reservesDescriptors) struct RedirectTests {
    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer()
        client = server.client()
        server.otherwise { .text($0.target) }
    }

    private var secrets: HTTPHeaders {
        var headers: HTTPHeaders = ["Authorization": "Bearer x", "Cookie": "a=b", "X-Plain": "kept"]
        headers.add("X-Key", "secret", isSensitive: true)
        return headers
    }

    @Test(arguments: [
        (301, "POST", "GET"), (302, "POST", "GET"), (303, "PUT", "GET"), (307, "POST", "POST"), (308, "PUT", "PUT"),
        (302, "DELETE", "DELETE"), (301, "QUERY", "QUERY"), (302, "QUERY", "QUERY"), (303, "QUERY", "GET"),
        (307, "REPORT", "REPORT"), (308, "PROPFIND", "PROPFIND"), (303, "SEARCH", "GET"),
    ])
    func methodAndBodyChangeTogether(status: Int, before: String, after: String) async throws {
        server.on(before, "/from", .redirect(to: "/to", status: status))
        let request = HTTPRequest(HTTPMethod(rawValue: before), "/from", body: .text("content"))
        let recording = try await EventRecorder.record(client.events(for: request))
        #expect(recording.outline == ["attempt 1", "head 200", "response 200"])
        let last = try #require(server.requests.last)
        #expect(last.method == after)
        #expect(last.text == (after == before ? "content" : ""))
        #expect((last.headers["Content-Type"] != nil) == (after == before))
    }

    @Test(arguments: [
        (301, "POST", ""), (302, "POST", ""), (303, "POST", ""), (303, "PUT", ""), (302, "PUT", "content"),
        (307, "POST", "content"),
    ])
    func methodsAreKeptByAPolicy(status: Int, method: String, content: String) async throws {
        server.on(method, "/from", .redirect(to: "/to", status: status))
        let request = HTTPRequest(HTTPMethod(rawValue: method), "/from", body: .text("content")).settingOptions {
            $0.redirects = .follow(max: 1, keepingMethod: true)
        }
        _ = try await client.response(for: request)
        let last = try #require(server.requests.last)
        #expect(last.method == method && last.target == "/to" && last.text == content)
        #expect((last.headers["Content-Type"] != nil) == !content.isEmpty)
    }

    @Test func keepsMethodWithClosure() async throws {
        server.on("POST", "/from", .redirect(to: "/to", status: 303))
        let methods = Watched<[HTTPMethod]>([])
        let request = HTTPRequest(.post, "/from", body: .text("content")).settingOptions {
            $0.redirects = .follow(
                keepingMethod: true,
                where: { hop in
                    methods.update { $0.append(hop.method) }
                    return true
                })
        }
        _ = try await client.response(for: request)
        #expect(methods.value == [.post])
        #expect(server.requests.map { "\($0.method) \($0.target) \($0.text)" } == ["POST /from content", "POST /to "])
    }

    @Test(arguments: ["to", "/b/to", "//HOST/b/to", "http://HOST/b/to", "../b/to", "?q=1"])
    func locationsMayBeRelative(location: String) async throws {
        let host = "127.0.0.1:\(server.port)"
        server.on("GET", "/b/from") { request in
            request.query == nil ? .redirect(to: location.replacing("HOST", with: host)) : .text(request.target)
        }
        let response = try await client.response(for: HTTPRequest(.get, "/b/from"))
        let target = location == "?q=1" ? "/b/from?q=1" : "/b/to"
        #expect(String(decoding: response.body, as: UTF8.self) == target)
        #expect(response.url.absoluteString == server.url(target))
        #expect(response.redirects.map(\.absoluteString) == [server.url("/b/from")])
    }

    /// A signature covers the query as it is written.
    @Test func anEncodedLocationIsSentAsItIs() async throws {
        server.on("GET", "/from", .redirect(to: "/to?filter[name]=a%20b&sig=x%2By%3D#f[%41]"))
        let response = try await client.response(for: HTTPRequest(.get, "/from"))
        #expect(String(decoding: response.body, as: UTF8.self) == "/to?filter%5Bname%5D=a%20b&sig=x%2By%3D")
    }

    @Test func theFragmentIsInheritedByEachRedirect() async throws {
        server.on("GET", "/from", .redirect(to: "/via"))
        server.on("GET", "/via", .redirect(to: "/to"))
        let response = try await client.response(for: HTTPRequest(.get, server.url("/from#f")))
        #expect(response.url.absoluteString == server.url("/to#f"))
        #expect(server.requests.map(\.target) == ["/from", "/via", "/to"])
    }

    @Test func fieldsWithAWordOfSecretsStayWithinTheOrigin() async throws {
        let other = try LoopbackServer()
        other.otherwise { _ in .text("there") }
        server.on("GET", "/here", .redirect(to: other.url("/there")))
        let secrets: HTTPHeaders = [
            "X-Auth-Key": "a", "DD-API-KEY": "b", "X-Shopify-Access-Token": "c", "Cf-Access-Jwt-Assertion": "d",
            "x-vendor-client-secret": "e", "X-DbPassword": "f",
        ]
        let others: HTTPHeaders = ["X-Monkey": "g", "X-Tokenizer": "h", "Idempotency-Key": "i"]
        let request = HTTPRequest(.get, "/here", headers: others.merging(defaults: secrets))
        _ = try await client.response(for: request)
        let sent = try #require(other.requests.first?.headers)
        for field in secrets { #expect(sent[field.name] == nil, "\(field.name)") }
        for field in others { #expect(sent[field.name] == field.value) }
    }

    @Test func aSecretThatAnInterceptorAddsStaysWithinTheOrigin() async throws {
        let home = try #require(URL(string: server.url("")))
        let renewal = Hook(onAdapt: { request, _ in
            guard request.url.port == home.port else { return request }
            var request = request
            request.headers["X-Key"] = "renewed"
            return request
        })
        let other = try LoopbackServer()
        other.otherwise { _ in .text("there") }
        server.on("GET", "/here", .redirect(to: other.url("/there")))
        let client = client.configuring { $0.interceptors = [renewal] }
        _ = try await client.response(for: HTTPRequest(.get, "/here", headers: secrets))
        #expect(server.requests.last?.headers["X-Key"] == "renewed")
        #expect(other.requests.count == 1)
        #expect(other.requests.last?.headers["X-Key"] == nil)
    }

    @Test func secretsStayWithinTheOrigin() async throws {
        let other = try LoopbackServer()
        other.otherwise { _ in .text("there") }
        server.on("GET", "/here", .redirect(to: "/still"))
        server.on("GET", "/still", .redirect(to: other.url("/there")))
        _ = try await client.response(for: HTTPRequest(.get, "/here", headers: secrets))
        for request in server.requests {
            #expect(request.headers["Authorization"] == "Bearer x")
            #expect(request.headers["Cookie"] == "a=b")
            #expect(request.headers["X-Key"] == "secret")
        }
        #expect(server.requests.count == 2)
        let stranger = try #require(other.requests.first)
        for name in ["Authorization", "Cookie", "X-Key"] { #expect(stranger.headers[name] == nil) }
        #expect(stranger.headers["X-Plain"] == "kept")
    }

    @Test func secretsDoNotComeBackWithTheOrigin() async throws {
        let other = try LoopbackServer()
        let home = server.url("/home")
        other.on("GET", "/away", .redirect(to: home))
        server.on("GET", "/start", .redirect(to: other.url("/away")))
        let response = try await client.response(for: HTTPRequest(.get, "/start", headers: secrets))
        #expect(response.redirects.count == 2)
        #expect(server.requests.last?.headers["Authorization"] == nil)
    }

    /// RFC 9110, section 4.2.4.
    @Test func ignoresUserInformationOfLocations() async throws {
        let address = "127.0.0.1:\(server.port)"
        server.on("GET", "/from", .redirect(to: "http://evil:passw0rd@\(address)/to"))
        for headers in [secrets, [:]] {
            _ = try await client.response(for: HTTPRequest(.get, "/from", headers: headers))
            #expect(server.requests.last?.path == "/to")
            #expect(server.requests.last?.headers["Authorization"] == headers["Authorization"])
        }
    }

    @Test func aPolicyMayRefuseAnyHop() async throws {
        server.on("POST", "/from", .redirect(to: "/via", status: 307))
        server.on("POST", "/via", .redirect(to: "/to", status: 303))
        let hops = Watched<[String]>([])
        let refused = Watched("")
        let client = server.client(
            options: .with {
                $0.redirects = .follow(where: { hop in
                    hops.update {
                        let path = "\(hop.response.url.path()) \(hop.response.status.code) \(hop.url.path())"
                        $0.append(
                            "\(path) \(hop.method)\(hop.hasBody ? " with body" : ""), \(hop.response.redirects.count)")
                    }
                    return hop.url.path() != refused.value
                })
            })
        let request = HTTPRequest(.post, "/from", body: .text("x"))
        #expect(try await client.response(for: request).body == Data("/to".utf8))
        let expected = ["/from 307 /via POST with body, 0", "/via 303 /to GET, 1"]
        #expect(hops.value == expected)
        refused.update { $0 = "/to" }
        let error = try await failure { () throws(HTTPError) in try await client.response(for: request) }
        #expect(error.reason.outline == "redirect.refused")
        #expect(error.redirects.map { $0.path() } == ["/from"])
        #expect(hops.value == expected + expected)
        #expect(server.requests.count == 5)
        let copy = client.configuration.options.redirects
        #expect(copy == client.configuration.options.redirects && copy != .follow(where: { _ in true }))
    }

    @Test func aLoopIsLeft() async throws {
        server.on("GET", "/loop", .redirect(to: "/loop"))
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/loop")))
        let error = try #require(recording.failure)
        #expect(error.reason.outline == "redirect.too-many(10)")
        #expect(error.redirects.count == 10)
        #expect(server.requests.count == 11)
        #expect(server.acceptedConnections == 1)
    }

    @Test func redirectsAreDeliveredWhereTheyAreWanted() async throws {
        server.on("GET", "/from", .redirect(to: "/to"))
        let options = RequestOptions.with {
            $0.redirects = .deliver
            $0.validation = .acceptAll
        }
        let response = try await client.response(for: HTTPRequest(.get, "/from", options: options))
        #expect(response.status == .found)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func theBodyOfARedirectIsNotDownloaded(isDeclared: Bool) async throws {
        let framing: Reply.Body.Framing = isDeclared ? .length : .chunked
        let page = Reply(302, headers: ["Location": "/to"], body: .generated(1 << 30, framing: framing))
        server.on("GET", "/from", page)
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/from")))
        #expect(String(decoding: recording.body, as: UTF8.self) == "/to")
        try await server.waitForDisconnection(of: 1)
        #expect(server.requests[0].bytesWritten < 64 << 20)
    }

    @Test func aSmallBodyIsReadForTheSakeOfItsConnection() async throws {
        server.on("GET", "/from", Reply(302, headers: ["Location": "/to"], body: .generated(1000)))
        _ = try await client.response(for: HTTPRequest(.get, "/from"))
        #expect(server.requests.count == 2)
        #expect(server.acceptedConnections == 1)
    }

    @Test func anErrorBehindARedirectSaysWhereItWas() async throws {
        server.on("GET", "/from", .redirect(to: "/to"))
        server.on("GET", "/to", .status(500))
        let error = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "/from"))
        }
        #expect(error.status == .internalServerError)
        #expect(error.redirects.map(\.absoluteString) == [server.url("/from")])
        #expect(error.request.url == server.url("/to"))
    }

    @Test func aOneShotBodyIsNotSentAgain() async throws {
        server.on("POST", "/from", .redirect(to: "/to", status: 307))
        let body = HTTPBody.stream(length: 3, ChunkSource([Data("abc".utf8)]))
        let recording = try await EventRecorder.record(
            client.events(for: HTTPRequest(.post, "/from", body: body)))
        #expect(recording.failure?.reason.outline == "redirect.body-not-replayable")
    }

    @Test func aReplayableStreamIsMadeAnew() async throws {
        server.on("POST", "/from", .redirect(to: "/to", status: 307))
        server.on("POST", "/to") { .bytes($0.body) }
        let made = Watched(0)
        let body = HTTPBody.replayableStream(length: 3) {
            made.update { $0 += 1 }
            return ChunkSource([Data("abc".utf8)])
        }
        let recording = try await EventRecorder.record(
            client.events(for: HTTPRequest(.post, "/from", body: body)))
        #expect(String(decoding: recording.body, as: UTF8.self) == "abc")
        #expect(made.value == 2)
    }
}
