import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// Pages of real servers.
@Suite(.serialized, .reservesDescriptors) struct PageServerTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private static func link(_ target: String) -> Reply {
        Reply(200, headers: ["Link": "<\(target)>; rel=\"next\""])
    }

    /// Pages 1 to 9 at `/list`, by links.
    private static func page(_ request: RecordedRequest) -> Reply {
        let page = request.query.flatMap { Int($0.dropFirst("page=".count)) } ?? 1
        var reply = Reply.text("\(page)")
        if page < 9 { reply.headers.append("Link", "</list?page=\(page + 1)>; rel=\"next\"") }
        return reply
    }

    @Test func cancellationInsideAPageEndsTheExchange() async throws {
        let gate = Gate()
        server.on("GET", "/list") { request in
            request.turn == 2 ? Reply(body: .chunked("a", .hold(gate))) : Self.page(request)
        }
        let recorder = NumberedPages.Recorder()
        server.client().linkedPages(for: HTTPRequest(.get, "/list")).subscribe(recorder)
        try await server.wait { $0.requests.count == 2 && $0.requests[1].state == .waiting }
        recorder.cancel()
        try await server.waitForDisconnection(of: 2)
        #expect(recorder.values.map(\.number) == [1] && recorder.completion == nil && recorder.violations == [])
        gate.open()
    }

    /// The program stores each position, and ends between two pages.
    @Test func resumesAfterARestart() async throws {
        server.on("GET", "/list", reply: Self.page)
        var (texts, link): ([String], String?) = ([], nil)
        repeat {
            // Each round is another run of the program.
            for try await page in server.client().linkedPages(for: HTTPRequest(.get, "/list"), from: link).values {
                texts.append(try page.response.text())
                link = page.next?.target
                if page.number == 2 { break }
            }
        } while link != nil
        #expect(texts == (1...9).map { "\($0)" } && server.requests.count == 9)
    }

    @Test func goesOnWhenTheServerHasRestarted() async throws {
        server.on("GET", "/list") { request in
            request.turn == 3 ? Reply.text("x").failing(with: .reset(at: .beforeHead)) : Self.page(request)
        }
        let options = RequestOptions.with { $0.retry = RetryPolicy(maxRetries: 3, backoff: .constant(.zero)) }
        let client = server.client(options: options)
        var texts: [String] = []
        for try await page in client.linkedPages(for: HTTPRequest(.get, "/list")).values {
            texts.append(try page.response.text())
        }
        #expect(texts == (1...9).map { "\($0)" })
        #expect(server.requests.map { $0.query?.last }.filter { $0 == "3" }.count == 2 && server.requests.count == 10)
    }

    @Test func renewsCredentialsInsideAPage() async throws {
        let accounts = try AccountServer(access: "first")
        accounts.server.on("GET", "/list") { request in
            // The first ones expire behind two pages.
            let isGood = request.headers["Authorization"] == (request.turn < 3 ? "Bearer first" : "Bearer new")
            return isGood ? Self.page(request) : .text("", status: 401)
        }
        var texts: [String] = []
        for try await page in accounts.client().linkedPages(for: HTTPRequest(.get, "/list")).values {
            texts.append(try page.response.text())
        }
        #expect(texts == (1...9).map { "\($0)" })
        #expect(accounts.requests("/list").count == 10 && accounts.requests("/refresh").count == 1)
    }

    @Test func sendsNothingToAnotherOrigin() async throws {
        let other = try LoopbackServer()
        other.otherwise { _ in .text("stolen") }
        server.on("GET", "/list", Self.link(other.url("/2")))
        let request = HTTPRequest(.get, "/list", headers: ["Authorization": "Bearer x"])
        let pages = server.client().linkedPages(for: request)
        let error = try await failure { () throws(HTTPError) in
            for try await _ in pages.values {}
        }
        #expect(error.reason.outline == "redirect.leaves-origin" && other.requests.isEmpty)
        #expect(other.acceptedConnections == 0)
    }

    @Test func sendsCredentialsToTheNamedOriginAlone() async throws {
        let (named, mirror) = (try LoopbackServer(), try LoopbackServer())
        server.on("GET", "/list", Self.link(named.url("/2")))
        named.on("GET", "/2", .redirect(to: mirror.url("/2")))
        mirror.on("GET", "/2", Self.link("/3"))
        mirror.on("GET", "/3", .text("end"))
        var headers: HTTPHeaders = ["Authorization": "Bearer x"]
        headers.add("X-Key", "secret", isSensitive: true)
        let client = server.client(headers: headers).configuring {
            $0.credentialOrigins = [named.url("")].compactMap { URL(string: $0) }
        }
        let request = HTTPRequest(.get, "/list", headers: ["Cookie": "a=b"])
        var count = 0
        for try await _ in client.linkedPages(for: request).values { count += 1 }
        #expect(count == 3)
        for request in server.requests + named.requests {
            #expect(request.headers["Authorization"] == "Bearer x" && request.headers["Cookie"] == "a=b")
            #expect(request.headers["X-Key"] == "secret")
        }
        #expect(mirror.requests.map(\.path) == ["/2", "/3"])
        for request in mirror.requests {
            #expect(["Authorization", "Cookie", "X-Key"].allSatisfy { request.headers[$0] == nil })
        }
    }
}
