import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// The origins that receive credentials, and the requests that are sent again with new ones.
@Suite(.reservesDescriptors) struct AuthorizationReachTests {
    @Test func credentialsDoNotFollowToAnotherOrigin() async throws {
        let service = try AccountServer(access: "new")
        let elsewhere = try LoopbackServer()
        elsewhere.on("GET", "/there", .status(401))
        service.server.on("GET", "/away", .redirect(to: elsewhere.url("/there")))
        let client = service.client()
        let error = try await failure { () async throws(HTTPError) in
            try await client.value(for: GetAccount(path: "/away"))
        }
        #expect(error.status == .unauthorized)
        #expect(elsewhere.requests.map { $0.headers["Authorization"] } == [nil])
        // Another origin's refusal says nothing of credentials that it was not told.
        #expect(service.requests("/refresh").isEmpty)
    }

    @Test func credentialsStayWithinNamedOrigins() async throws {
        let transport = AnsweringTransport { request, _ in
            switch request.url.path() {
            case "/1": .reply(302, ["Location": "/2"])
            case "/2": .reply(302, ["Location": "http://named:8080/3"])
            case "/3": .reply(302, ["Location": "http://other/4"])
            case "/4": .reply(302, ["Location": "http://h/5"])
            default: .reply(200)
            }
        }
        let client = transport.client {
            $0.baseURL = nil
            $0.credentialOrigins = [URL(literal: "http://h"), URL(literal: "http://NAMED:8080/any")]
            $0.authorization = .bearer("t")
        }
        let request = HTTPRequest(.get, "http://h/1")
        for _ in 1...2 { _ = try await client.response(for: request) }
        let sent = transport.requests.value.map { $0.headers["Authorization"] }
        let expected = ["Bearer t", "Bearer t", "Bearer t", nil, nil]
        #expect(sent == expected + expected)
    }

    @Test func anotherOriginIsNotAuthorizedUnlessItIsNamed() async throws {
        let (home, elsewhere) = (try LoopbackServer(), try LoopbackServer())
        elsewhere.on("GET", "/", .text("hello"))
        let call = GetAccount(path: elsewhere.url("/"))
        let client = home.client().configuring { $0.authorization = .bearer("t") }
        _ = try await client.value(for: call)
        let origins = [elsewhere.url("")].compactMap { URL(string: $0) }
        _ = try await client.configuring { $0.credentialOrigins = origins }.value(for: call)
        #expect(elsewhere.requests.map { $0.headers["Authorization"] } == [nil, "Bearer t"])
        let withoutBase = client.configuring { $0.baseURL = nil }
        let error = try await failure { () async throws(HTTPError) in try await withoutBase.value(for: call) }
        #expect(error.reason.outline == "invalid-request.credentials-without-origin")
        #expect(elsewhere.requests.count == 2)
    }

    @Test(arguments: [307, 308, 303])
    func aRenewalStaysWithinItsOrigin(status: Int) async throws {
        let elsewhere = try LoopbackServer()
        elsewhere.otherwise { _ in .json(#"{"access":"stolen"}"#) }
        let service = try AccountServer { _ in .redirect(to: elsewhere.url("/tokens"), status: status) }
        let client = service.client()
        let error = try await failure { () async throws(HTTPError) in try await client.value(for: GetAccount()) }
        #expect(error.status == .unauthorized)
        #expect(elsewhere.requests.isEmpty)
        #expect(service.store.credential(for: Accounts.accessTokenKey) == "old")
    }

    @Test func aRenewalMayBeRedirectedToANamedOrigin() async throws {
        let elsewhere = try LoopbackServer()
        elsewhere.on("POST", "/tokens", .json(#"{"access":"new"}"#))
        let service = try AccountServer { _ in .redirect(to: elsewhere.url("/tokens"), status: 307) }
        let client = service.client { $0.credentialOrigins = [elsewhere.url("")].compactMap { URL(string: $0) } }
        #expect(try await client.value(for: GetAccount()) == "hello")
        #expect(elsewhere.requests.count == 1)
    }

    @Test func aLoginStaysWithinItsOrigin() async throws {
        let elsewhere = try LoopbackServer()
        elsewhere.otherwise { _ in .json(#"{"access":"stolen"}"#) }
        let service = try AccountServer()
        service.server.on("POST", "/login", .redirect(to: elsewhere.url("/tokens"), status: 307))
        let client = service.client()
        let error = try await failure { () async throws(HTTPError) in try await client.value(for: Login()) }
        #expect(error.reason.outline == "redirect.leaves-origin")
        #expect(elsewhere.requests.isEmpty)
        #expect(service.store.credential(for: Accounts.accessTokenKey) == "old")
    }

    @Test func aReplayableUploadIsSentAgain() async throws {
        let service = try AccountServer()
        let body = HTTPBody.data(Data(GeneratedBytes.bytes(0..<50_000)))
        let request = HTTPRequest(.put, "/account", body: body)
        let recording = try await EventRecorder.record(service.client().events(for: request))
        #expect(recording.response?.status == .ok)
        #expect(service.requests("/account").map(\.bodyCount) == [50_000, 50_000])
        let isWhole = service.requests("/account").allSatisfy { GeneratedBytes.matches($0.body, at: 0) }
        #expect(isWhole)
    }

    @Test func aOneShotUploadIsNot() async throws {
        let service = try AccountServer()
        let client = service.client()
        func upload() -> HTTPRequest {
            let body = HTTPBody.stream(Just(Data("once".utf8)))
            return HTTPRequest(.put, "/account", body: body)
        }
        let recording = try await EventRecorder.record(client.events(for: upload()))
        #expect(recording.outline == ["attempt 1", "head 401"])
        #expect(recording.failure?.status == .unauthorized)
        // The credentials are renewed all the same: for the next one.
        #expect(try await client.response(for: upload()).status == .ok)
        #expect(service.requests("/refresh").count == 1)
        #expect(service.authorizations == ["Bearer old", "Bearer new"])
    }

    @Test func aStreamBeginsAnew() async throws {
        let service = try AccountServer()
        service.server.on("GET", "/stream") { request in
            request.headers["Authorization"] == "Bearer new" ? .generated(200_000) : .text("no", status: 401)
        }
        let recording = try await EventRecorder.record(service.client().events(for: HTTPRequest(.get, "/stream")))
        #expect(recording.body.count == 200_000 && GeneratedBytes.matches(recording.body, at: 0))
        #expect(recording.attempts.count == 2)
    }

    @Test func theDeadlineHoldsForTheRenewal() async throws {
        let gate = Gate()
        let service = try AccountServer { _ in Reply.json(#"{"access":"new"}"#).held(by: gate) }
        let scheduler = TestScheduler()
        var configuration = service.client().configuration
        configuration.options.timeouts.connect = .seconds(300)
        configuration.options.timeouts.idle = .seconds(300)
        configuration.options.timeouts.total = .seconds(5)
        let client = HTTPClient(configuration: configuration, transport: CurlTransport(), scheduler: scheduler)
        let recorder = EventRecorder(of: client.events(for: GetAccount()))
        try await service.server.waitForRequests(2)
        scheduler.jump(by: .seconds(5))
        #expect(try await recorder.finished().failure?.reason.outline == "timeout.total")
    }
}

@Suite struct FixedAuthorizationTests {
    private func sent(by provider: FixedAuthorization) async throws -> String? {
        let transport = AnsweringTransport { _, _ in .reply(200) }
        let client = transport.client { $0.authorization = provider }
        _ = try await client.response(for: HTTPRequest(.get, "/"))
        return transport.requests.value.first?.headers["Authorization"]
    }

    @Test func bearer() async throws {
        #expect(try await sent(by: .bearer("abc")) == "Bearer abc")
    }

    /// The examples of RFC 7617, sections 2 and 2.1.
    @Test(arguments: [
        ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123\u{a3}", "dGVzdDoxMjPCow=="),
        ("colon", "in:password", "Y29sb246aW46cGFzc3dvcmQ="),
    ])
    func basic(user: String, password: String, expected: String) async throws {
        #expect(try await sent(by: .basic(user: user, password: password)) == "Basic \(expected)")
    }

    @Test(arguments: [("a:b", "secret"), ("a", "sec\nret"), ("a\u{0}", "secret")])
    func basicCredentialsThatCannotBeSentFailTheRequest(user: String, password: String) async throws {
        let transport = AnsweringTransport { _, _ in .reply(200) }
        let client = transport.client { $0.authorization = .basic(user: user, password: password) }
        let own = HTTPRequest(.get, "/").settingAuthorization(.basic(user: user, password: password))
        for request in [HTTPRequest(.get, "/"), own] {
            let error = try await failure { () async throws(HTTPError) in try await client.response(for: request) }
            #expect(error.reason.outline == "invalid-request.header-value(Authorization)")
            #expect(!error.description.contains(password))
        }
        #expect(transport.requests.value.isEmpty)
    }

    @Test func theClientsCredentialsReplaceTheRequestsIfItRequiresThem() async throws {
        let transport = AnsweringTransport { _, _ in .reply(200) }
        let client = transport.client { $0.authorization = .bearer("client's") }
        let own = HTTPRequest(.get, "/").settingAuthorization(.bearer("own"))
        let inURL = HTTPRequest(.get, "http://u:p@h/")
        for request in [own, own.requiringAuthorization(), inURL, inURL.requiringAuthorization()] {
            _ = try await client.response(for: request)
        }
        let sent = transport.requests.value.map { $0.headers.values(for: "Authorization") }
        #expect(sent == [["Bearer own"], ["Bearer client's"], ["Basic dTpw"], ["Bearer client's"]])
    }

    @Test func aRejectedFixedTokenIsNotTriedAgain() async throws {
        let transport = AnsweringTransport { _, _ in .reply(401) }
        let client = transport.client { $0.authorization = .bearer("t") }
        let error = try await failure { () async throws(HTTPError) in try await client.value(for: GetAccount()) }
        #expect(error.status == .unauthorized && transport.requests.value.count == 1)
    }
}
