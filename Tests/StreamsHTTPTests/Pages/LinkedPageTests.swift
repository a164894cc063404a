import StreamsTesting
import Testing

@testable import StreamsHTTP

/// Pages that link to one another.
@Suite struct LinkedPageTests {
    private let scheduler = TestScheduler()

    /// Returns a transport that answers with links, by the URL of the request.
    private func links(_ links: [String: String], redirects: [String: String] = [:]) -> AnsweringTransport {
        AnsweringTransport { request, _ in
            let url = request.url.absoluteString
            if let location = redirects[url] { return .reply(.found, ["Location": location]) }
            return .reply(.ok, links[url].map { ["Link": $0] } ?? [:])
        }
    }

    private func record(
        _ pages: some Publisher<HTTPResponse<Data>.Page, HTTPError>
    ) async -> NumberedPages.Recorder {
        let recorder = NumberedPages.Recorder()
        pages.subscribe(recorder)
        await scheduler.settle()
        return recorder
    }

    private func urls(_ transport: AnsweringTransport) -> [String] {
        transport.requests.value.map(\.url.absoluteString)
    }

    @Test func followsLinks() async {
        let transport = links([
            "http://h/v1/list?q=a": "<?page=2>; rel=\"prefetch next\", </v1/list?page=9>; rel=last",
            "http://h/v1/list?page=2": "<http://H:80/v1/other>; rel=NEXT",
            "http://H:80/v1/other": "</v1/list?page=1>; rel=prev",
        ])
        let client = transport.client(scheduler) { $0.baseURL = URL(literal: "http://h/v1") }
        let recorder = await record(client.linkedPages(for: HTTPRequest(.get, "/list", query: ["q": "a"])))
        #expect(urls(transport) == ["http://h/v1/list?q=a", "http://h/v1/list?page=2", "http://H:80/v1/other"])
        #expect(recorder.completion == .finished)
        #expect(
            recorder.values.map { $0.next?.target } == ["http://h/v1/list?page=2", "http://H:80/v1/other", nil])
    }

    @Test func decodesPagesOfAnEndpoint() async {
        let transport = AnsweringTransport { request, number in
            let link: HTTPHeaders = number < 3 ? ["Link": "<?page=\(number + 1)>; rel=next"] : [:]
            return .reply(
                .ok, link.merging(defaults: ["Content-Type": "application/json"]), "{\"text\":\"\(number)\"}")
        }
        let recorder = RecordingSubscriber<HTTPResponse<Greeting>.Page, HTTPError>()
        var call = Call<Greeting>(.get, "/list")
        call.headers = ["X-Tenant": "a"]
        transport.client(scheduler).linkedPages(for: call).subscribe(recorder)
        await scheduler.settle()
        #expect(recorder.values.map(\.value.text) == ["1", "2", "3"])
        #expect(transport.requests.value.allSatisfy { $0.headers["X-Tenant"] == "a" })
    }

    @Test func resolvesLinksAgainstTheURLOfTheResponse() async {
        let transport = links(
            ["http://h/v2/list": "<more>; rel=next"], redirects: ["http://h/list": "/v2/list"])
        let recorder = await record(transport.client(scheduler).linkedPages(for: HTTPRequest(.get, "/list")))
        #expect(urls(transport) == ["http://h/list", "http://h/v2/list", "http://h/v2/more"])
        #expect(recorder.completion == .finished)
    }

    @Test func resumesFromAStoredLink() async throws {
        let transport = links(["http://h/list": "</2>; rel=next", "http://h/2": "</3>; rel=next"])
        let request = HTTPRequest(.get, "/list", headers: ["X-Tenant": "a"])
        let first = await record(transport.client(scheduler).linkedPages(for: request).prefix(1))
        let link = try #require(first.values.first?.next?.target)
        // After a restart.
        let recorder = await record(transport.client(scheduler).linkedPages(for: request, from: link))
        #expect(urls(transport) == ["http://h/list", "http://h/2", "http://h/3"])
        #expect(recorder.values.map(\.number) == [1, 2] && recorder.completion == .finished)
        #expect(transport.requests.value.allSatisfy { $0.headers["X-Tenant"] == "a" })
    }

    @Test(arguments: [
        ("http://evil/2", "redirect.leaves-origin"), ("//evil/2", "redirect.leaves-origin"),
        ("https://h/2", "redirect.leaves-origin"), ("http://h:8080/2", "redirect.leaves-origin"),
        ("http://h@evil/2", "redirect.leaves-origin"), ("http://h.evil/2", "redirect.leaves-origin"),
        ("file:///etc/passwd", "redirect.unsupported-scheme(file)"), ("http://", "redirect.unfollowable(http://)"),
        ("http://[/", "redirect.unfollowable(http://[/)"), ("http://h/list", "redirect.loop"), ("", "redirect.loop"),
        ("/./a/../list", "redirect.loop"),
    ]) func refusesLinks(link: String, failure: String) async {
        let transport = links(["http://h/list": "<\(link)>; rel=next"])
        let client = transport.client(scheduler)
        let recorder = await record(client.linkedPages(for: HTTPRequest(.get, "/list")))
        #expect(recorder.failure == failure && recorder.values.count == 1 && transport.requests.value.count == 1)
        #expect((recorder.values.first?.next == nil) == (failure != "redirect.loop"))
        guard failure != "redirect.loop" else { return }
        let resumed = await record(client.linkedPages(for: HTTPRequest(.get, "/list"), from: link))
        #expect(resumed.failure == failure && transport.requests.value.count == 1)
    }

    @Test(arguments: [[], ["http://h", "https://h"]]) func refusesLinksToClearText(origins: [String]) async {
        let transport = links(["https://h/list": "<http://h/2>; rel=next"])
        let client = transport.client(scheduler) {
            $0.baseURL = URL(literal: "https://h")
            $0.credentialOrigins = origins.compactMap { URL(string: $0) }
        }
        let recorder = await record(client.linkedPages(for: HTTPRequest(.get, "/list")))
        #expect(recorder.failure == "redirect.insecure" && transport.requests.value.count == 1)
    }

    @Test func followsLinksOfClientsWithoutAbsoluteTargets() async {
        let transport = links(["http://h/list": "<http://h/2>; rel=next"])
        let client = transport.client(scheduler) { $0.allowsAbsoluteTargets = false }
        let recorder = await record(client.linkedPages(for: HTTPRequest(.get, "/list")))
        #expect(urls(transport) == ["http://h/list", "http://h/2"] && recorder.completion == .finished)
        let elsewhere = await record(client.linkedPages(for: HTTPRequest(.get, "http://evil/list")))
        #expect(elsewhere.failure == "invalid-request.absolute-target(http://evil/list)")
    }

    @Test func requestsLinkedPagesWithoutABody() async {
        let transport = links(["http://h/search": "</2>; rel=next"])
        let request = HTTPRequest(.post, "/search", headers: ["X-Tenant": "a"], body: .text("q"))
        _ = await record(transport.client(scheduler).linkedPages(for: request))
        let last = transport.requests.value.last
        #expect(last?.method == .get && last?.body.isEmpty == true && last?.headers["X-Tenant"] == "a")
        #expect(last?.headers.contains("Content-Type") == false)
        _ = await record(transport.client(scheduler).linkedPages(for: HTTPRequest(.head, "/search")))
        #expect(transport.requests.value.map(\.method) == [.post, .get, .head, .head])
    }

    // MARK: Credentials

    @Test func sendsTheUserInformationOfAURLWithEachPage() async {
        let transport = links(["http://h/list": "</2>; rel=next"])
        let withUser = transport.client(scheduler) { $0.baseURL = URL(literal: "http://u:p@h") }
        _ = await record(withUser.linkedPages(for: HTTPRequest(.get, "/list")))
        _ = await record(transport.client(scheduler).linkedPages(for: HTTPRequest(.get, "http://u:p@h/list")))
        #expect(
            transport.requests.value.map { $0.headers["Authorization"] } == Array(repeating: "Basic dTpw", count: 4))
    }

    private static let authorizations: [PageAuthorization] = [
        PageAuthorization("http://u:p@h", "/list", sent: "Basic dTpw"),
        PageAuthorization("http://u:p@h", "/list", provider: .bearer("t"), sent: "Bearer t"),
        PageAuthorization("http://u:p@h", "/list", provider: NoCredentials(), sent: "Basic dTpw"),
        PageAuthorization(
            "http://u:p@h", "/list", provider: .bearer("t"), PageAuthorization.Requirement(ofClient: false),
            sent: "Basic dTpw"),
        PageAuthorization(
            "http://u:p@h", "/list", provider: .bearer("t"), PageAuthorization.Requirement(ofRequest: false),
            sent: "Basic dTpw"),
        PageAuthorization("http://u:p@h", "/list", default: "Key k", sent: "Key k"),
        PageAuthorization("http://u:p@h", "/list", default: "Key k", provider: .bearer("t"), sent: "Bearer t"),
        PageAuthorization("http://h", "http://u:p@h/list", provider: .bearer("t"), sent: "Basic dTpw"),
        PageAuthorization(
            "http://h", "http://u:p@h/list", provider: .bearer("t"), PageAuthorization.Requirement(ofClient: true),
            sent: "Bearer t"),
        PageAuthorization("http://h", "http://u:p@h/list", default: "Key k", provider: .bearer("t"), sent: "Key k"),
        PageAuthorization("http://u:p@h", "http://u:q@other/list", default: "Key k", sent: "Basic dTpx"),
        PageAuthorization(
            "http://u:p@h", "http://u:q@other/list", default: "Key k", provider: .bearer("t"), sent: "Basic dTpx"),
        PageAuthorization("http://u:p@h", "http://other/list", provider: .bearer("t"), sent: nil),
    ]

    @Test(arguments: authorizations) func authorizesEachPageAsTheFirst(_ test: PageAuthorization) async {
        let transport = AnsweringTransport { _, number in
            .reply(.ok, number < 4 ? ["Link": "</\(number)>; rel=next"] : [:])
        }
        let client = transport.client(scheduler) { test.configure(&$0) }
        #expect(await record(client.linkedPages(for: test.request)).completion == .finished)
        #expect(await record(client.linkedPages(for: test.request, from: "/9")).completion == .finished)
        let sent = transport.requests.value.map { $0.headers["Authorization"] }
        #expect(sent == Array(repeating: test.sent, count: 5))
    }

    @Test func sendsNeitherTheProvidersCredentialsNorTheURLsToAnotherOrigin() async {
        let transport = links(
            ["http://other/list": "</2>; rel=next", "http://other/2": "<//other/3>; rel=next"],
            redirects: ["http://h/list": "http://other/list", "http://h/x": "http://other/list"])
        let client = transport.client(scheduler) {
            $0.baseURL = URL(literal: "http://u:p@h")
            $0.authorization = .bearer("t")
        }
        #expect(await record(client.linkedPages(for: HTTPRequest(.get, "/list"))).completion == .finished)
        // A stored link, which its server redirects.
        #expect(await record(client.linkedPages(for: HTTPRequest(.get, "/list"), from: "/x")).completion == .finished)
        let requests = transport.requests.value
        #expect(requests.count == 8)
        for request in requests {
            #expect(
                request.headers["Authorization"]
                    == (request.url.absoluteString.hasPrefix("http://h/") ? "Bearer t" : nil))
        }
    }

    /// A redirect has led to the origin of the pages, which may have more of them, but not the credentials.
    @Test func sendsNoCredentialsWhereARedirectHasLedTo() async {
        let transport = links(
            ["http://other/list": "</2>; rel=next", "http://other/2": "<http://h/3>; rel=next"],
            redirects: ["http://h/list": "http://other/list"])
        let client = transport.client(scheduler) { $0.defaultHeaders.add("X-Key", "secret", isSensitive: true) }
        let request = HTTPRequest(
            .get, "/list", headers: ["Authorization": "Bearer x", "Host": "virtual", "X-Plain": "kept"])
        let recorder = await record(client.linkedPages(for: request))
        #expect(urls(transport) == ["http://h/list", "http://other/list", "http://other/2"])
        let sent = transport.requests.value.map(\.headers)
        #expect(sent[0]["Authorization"] != nil && sent[0]["X-Key"] != nil && sent[0]["Host"] != nil)
        for headers in sent[1...] {
            #expect(headers["Authorization"] == nil && headers["X-Key"] == nil && headers["Host"] == nil)
            #expect(headers["X-Plain"] == "kept")
        }
        // Another server may not choose what the client's own server is asked for.
        #expect(recorder.failure == "redirect.leaves-origin")
    }

    @Test func keepsCredentialsBetweenTheOriginsOfTheClient() async {
        let transport = links([
            "http://h/list": "<http://other/2>; rel=next", "http://other/2": "<http://h/3>; rel=next",
        ])
        let client = transport.client(scheduler) {
            $0.defaultHeaders.add("X-Key", "secret", isSensitive: true)
            $0.credentialOrigins = [URL(literal: "http://other")]
        }
        let request = HTTPRequest(.get, "/list", headers: ["Authorization": "Bearer x"])
        #expect(await record(client.linkedPages(for: request)).completion == .finished)
        #expect(urls(transport) == ["http://h/list", "http://other/2", "http://h/3"])
        #expect(
            transport.requests.value.allSatisfy { $0.headers["Authorization"] != nil && $0.headers["X-Key"] != nil })
    }

    @Test func hidesSecretsOfLinksInErrors() async throws {
        let transport = links(["http://h/list": "<http://[token=secret>; rel=next"])
        let recorder = await record(
            transport.client(scheduler).linkedPages(for: HTTPRequest(.get, "/list?token=secret")))
        let other = links(["http://h/list?token=secret": "<http://u:secret@[?token=secret>; rel=next"])
        let second = await record(other.client(scheduler).linkedPages(for: HTTPRequest(.get, "/list?token=secret")))
        #expect(recorder.completion == .finished)
        guard case .failure(let error) = second.completion else { throw UnexpectedSuccess() }
        #expect(error.name == "redirect.unfollowable" && !"\(error)".contains("secret"))
    }
}
