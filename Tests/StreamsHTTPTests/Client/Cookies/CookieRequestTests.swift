import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// Cookies in the requests and responses of a client.
@Suite(.serialized, .reservesDescriptors) struct CookieRequestTests {
    private let server: LoopbackServer
    private let jar = CookieJar()

    init() throws {
        server = try LoopbackServer()
        server.otherwise { .text($0.headers["Cookie"] ?? "none") }
    }

    private var client: HTTPClient { server.client().configuring { $0.cookies = jar } }

    /// The field that the server gets.
    private func field(_ target: String = "/", _ headers: HTTPHeaders = [:], by client: HTTPClient? = nil) async throws
        -> String
    {
        let response = try await (client ?? self.client).response(for: HTTPRequest(.get, target, headers: headers))
        return String(decoding: response.body, as: UTF8.self)
    }

    private func set(_ field: String, status: Int = 200, _ headers: HeaderFields = [:]) -> Reply {
        var headers = headers
        headers.append("Set-Cookie", field)
        return .status(status, headers: headers)
    }

    @Test func sendsWhatWasSet() async throws {
        server.on("POST", "/login", set("id=1"))
        _ = try await client.response(for: HTTPRequest(.post, "/login"))
        #expect(try await field() == "id=1")
        #expect(try await field(by: server.client()) == "none")
        #expect(server.requests.map { $0.headers.values(of: "Cookie") } == [[], ["id=1"], []])
    }

    @Test func takesCookiesOfRedirectsErrorsAndRetries() async throws {
        server.on("GET", "/login", set("a=1", status: 302, ["Location": "/page"]))
        server.on("GET", "/page", set("b=2", status: 503), set("c=3", status: 404))
        let options = RequestOptions.with { $0.retry = RetryPolicy(maxRetries: 1, backoff: .constant(.zero)) }
        await #expect(throws: HTTPError.self) {
            _ = try await client.response(for: HTTPRequest(.get, "/login", options: options))
        }
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "a=1", "a=1; b=2", "a=1; b=2"])
        #expect(try await field() == "a=1; b=2; c=3")
    }

    @Test func takesNoCookiesOfInformationalHeadsAndTrailers() async throws {
        var reply = Reply(200, body: .chunked("x"))
        reply.prelude = [.informational(status: 103, headers: ["Set-Cookie": "a=1"])]
        reply.trailers = ["Set-Cookie": "b=2"]
        server.on("GET", "/", reply)
        _ = try await client.response(for: HTTPRequest(.get, "/"))
        #expect(jar.cookies.isEmpty)
    }

    /// A renewal of credentials also takes part, and the request after it.
    @Test func takesCookiesOfRejectedCredentials() async throws {
        server.on("GET", "/", set("a=1", status: 401), .text("well"))
        server.on("POST", "/refresh", set("b=2"))
        struct Renewing: AuthorizationProvider {
            func authorize(_ request: TransportRequest) -> TransportRequest { request }
            func makeReauthorizationRequest() -> Call<Data>? { Call(.post, "/refresh") }
        }
        _ = try await client.configuring { $0.authorization = Renewing() }.response(for: HTTPRequest(.get, "/"))
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "a=1", "a=1; b=2"])
    }

    @Test func theFieldOfARequestComesInstead() async throws {
        jar.set(Cookie("a", "1", domain: "127.0.0.1"))
        #expect(try await field("/", ["cookie": "b=2"]) == "b=2")
        #expect(try await field("/", ["Cookie": ""]) != "a=1")
        let client = client.configuring { $0.defaultHeaders = ["Cookie": "c=3"] }
        #expect(try await field(by: client) == "c=3")
        #expect(try await field() == "a=1")
    }

    @Test func interceptorsSeeNoCookies() async throws {
        jar.set(Cookie("a", "1", domain: "127.0.0.1"))
        let seen = Watched<[String?]>([])
        let hook = Hook(onAdapt: { request, _ in
            seen.update { $0.append(request.headers["Cookie"]) }
            return request
        })
        #expect(try await field(by: client.configuring { $0.interceptors = [hook] }) == "a=1")
        #expect(seen.value == [nil])
    }

    @Test func monitorsSeeThemHidden() async throws {
        jar.set(Cookie("a", "s3cret", domain: "127.0.0.1"))
        server.on("GET", "/", set("b=s3cret"))
        let lines = Watched<[String]>([])
        let monitor = LogMonitor { line in lines.update { $0.append("\(line)") } }
        _ = try await client.configuring { $0.monitors = [monitor] }.response(for: HTTPRequest(.get, "/"))
        #expect(!lines.value.isEmpty && !lines.value.contains { $0.contains("s3cret") })
    }

    @Test func feedsDownloadsAndChunksHaveCookies() async throws {
        jar.set(Cookie("a", "1", domain: "127.0.0.1"))
        let folder = try ScratchFolder()
        _ = try await client.download(for: HTTPRequest(.get, "/file"), to: "\(folder.path)/file").values.reduce(0) {
            n, _ in
            n
        }
        #expect(try folder.text(of: "file") == "a=1")
        server.on("GET", "/lines") { .text($0.headers["Cookie"] ?? "none") }
        let feed = client.lines(for: HTTPRequest(.get, "/lines"), options: FeedOptions(reconnection: .never))
        for try await line in feed.values { #expect(line == Data("a=1".utf8)) }
        for try await event in client.events(for: HTTPRequest(.get, "/chunks")).values {
            if case .chunk(let chunk) = event { #expect(String(decoding: chunk, as: UTF8.self) == "a=1") }
        }
        #expect(server.requests.allSatisfy { $0.headers["Cookie"] == "a=1" })
    }

    /// The head that opens a WebSocket sets cookies, and that of the next connection has them.
    @Test func webSocketsHaveCookies() async throws {
        let scheduler = TestScheduler()
        let peer = SocketServer { SocketServer.acceptance($0, ["Set-Cookie": "a=1; Max-Age=30"]) }
        let client = peer.client(scheduler) {
            $0.baseURL = URL(string: "http://h.example")
            $0.cookies = jar
        }
        for expected in [nil, "a=1"] as [String?] {
            let recorder = SocketRecorder(of: client.webSocket(for: HTTPRequest(.get, "/chat")))
            let connection = try await peer.connection(expected == nil ? 1 : 2)
            #expect(connection.request.headers["Cookie"] == expected)
            recorder.cancel()
        }
        await scheduler.settle(advancingBy: .seconds(31))
        let recorder = SocketRecorder(of: client.webSocket(for: HTTPRequest(.get, "ws://h.example/chat")))
        #expect(try await peer.connection(3).request.headers["Cookie"] == nil)
        recorder.cancel()
    }

    /// Requests that differ in their cookies share no exchange.
    @Test func sharedRequestsHaveTheSameCookies() async throws {
        let gate = Gate()
        server.on("GET", "/shared") { Reply.text($0.headers["Cookie"] ?? "none").held(by: gate) }
        let client = client.configuring { $0.options.sharesInFlight = true }
        let recorders = (0..<2).map { _ in EventRecorder<Data>() }
        client.events(for: Call<Data>(.get, "/shared")).subscribe(recorders[0])
        try await server.waitForRequests(1)
        client.events(for: Call<Data>(.get, "/shared")).subscribe(recorders[1])
        jar.set(Cookie("a", "1", domain: "127.0.0.1"))
        let others = (0..<2).map { _ in EventRecorder<Data>() }
        for recorder in others { client.events(for: Call<Data>(.get, "/shared")).subscribe(recorder) }
        try await server.waitForRequests(2)
        gate.open()
        for (recorder, text) in zip(recorders + others, ["none", "none", "a=1", "a=1"]) {
            let response = try await recorder.finished().response
            #expect(response.map { String(decoding: $0.body, as: UTF8.self) } == text)
        }
        #expect(server.requests.count == 2)
    }

    /// Hostile fields under concurrency: the jar stays within its limits, and the fields of requests are legal.
    @Test func hostileServersUnderConcurrency() async throws {
        let transport = AnsweringTransport { request, number in
            let host = request.url.host ?? ""
            var headers = HTTPHeaders()
            for field in CookieFields(seed: UInt64(number)).prefix(20) {
                headers.add("Set-Cookie", field + (number % 3 == 0 ? "; Domain=\(host)" : ""))
            }
            return .reply(.ok, headers)
        }
        var configuration = HTTPClient.Configuration()
        configuration.cookies = jar
        let client = HTTPClient(configuration: configuration, transport: transport)
        await withTaskGroup { group in
            for number in 0..<400 {
                group.addTask {
                    let url =
                        "\(number % 2 == 0 ? "http" : "https")://a\(number % 7).h\(number % 70).example/x/\(number)"
                    _ = try? await client.response(for: HTTPRequest(.get, url))
                }
            }
        }
        #expect(transport.requests.value.count == 400)
        for request in transport.requests.value {
            let fields = request.headers.values(for: "Cookie")
            #expect(fields.count <= 1 && fields.allSatisfy { !$0.contains { "\r\n\0".contains($0) } })
        }
        #expect(jar.cookies.count <= 3000)
    }
}
