import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// How far credentials go, and what is sent again with new ones.
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

    @Test func anotherOriginIsNotAuthorizedUnlessTheProviderAllowsIt() async throws {
        struct Generous: AuthorizationProvider {
            func authorize(_ request: TransportRequest) -> TransportRequest {
                BearerAuthorization(token: "t").authorize(request)
            }
            func mayAuthorize(_ url: URL, baseURL: URL?) -> Bool { true }
        }
        let (home, elsewhere) = (try LoopbackServer(), try LoopbackServer())
        elsewhere.on("GET", "/", .text("hello"))
        let call = GetAccount(path: elsewhere.url("/"))
        var client = home.client()
        client.configuration.authorization = BearerAuthorization(token: "t")
        _ = try await client.value(for: call)
        client.configuration.authorization = Generous()
        _ = try await client.value(for: call)
        client.configuration.authorization = BearerAuthorization(token: "t")
        client.configuration.baseURL = nil
        _ = try await client.value(for: call)
        #expect(elsewhere.requests.map { $0.headers["Authorization"] } == [nil, "Bearer t", "Bearer t"])
    }

    @Test func aReplayableUploadIsSentAgain() async throws {
        let service = try AccountServer()
        let body = HTTPBody.data(Data(GeneratedBytes.bytes(0..<50_000)))
        let request = HTTPRequest(.put, "/account", body: body).settingOptions { $0.requiresAuthorization = true }
        let recording = try await EventRecorder.record(service.client().events(for: request))
        #expect(recording.response?.status == .ok)
        #expect(service.requests("/account").map(\.bodyCount) == [50_000, 50_000])
    }

    @Test func aOneShotUploadIsNot() async throws {
        let service = try AccountServer()
        let client = service.client()
        func upload() -> HTTPRequest {
            let body = HTTPBody.stream(Just(Data("once".utf8)).setFailureType(to: (any Error).self))
            return HTTPRequest(.put, "/account", body: body).settingOptions { $0.requiresAuthorization = true }
        }
        let recording = try await EventRecorder.record(client.events(for: upload()))
        #expect(recording.outline == ["attempt 1", "head 401"])
        #expect(recording.failure?.status == .unauthorized)
        // The credentials are renewed all the same: for the next one.
        #expect(try await client.data(for: upload()).status == .ok)
        #expect(service.requests("/refresh").count == 1)
        #expect(service.authorizations == ["Bearer old", "Bearer new"])
    }

    @Test func aStreamBeginsAnew() async throws {
        let service = try AccountServer()
        service.server.on("GET", "/stream") { request in
            request.headers["Authorization"] == "Bearer new" ? .generated(200_000) : .text("no", status: 401)
        }
        let request = HTTPRequest(.get, "/stream").settingOptions { $0.requiresAuthorization = true }
        let recording = try await EventRecorder.record(service.client().events(for: request))
        #expect(recording.body.count == 200_000 && GeneratedBytes.matches(recording.body, at: 0))
        #expect(recording.attempts.count == 2)
    }

    @Test func theDeadlineHoldsForTheRenewal() async throws {
        let gate = Gate()
        let service = try AccountServer { _ in Reply.json(#"{"access":"new"}"#).held(by: gate) }
        let scheduler = TestScheduler()
        var configuration = service.client().configuration
        configuration.options.timeouts = Timeouts(connect: .seconds(300), idle: .seconds(300), total: .seconds(5))
        let client = HTTPClient(configuration: configuration, transport: CurlTransport(), scheduler: scheduler)
        let recorder = EventRecorder<String>()
        client.events(for: GetAccount()).subscribe(recorder)
        try await service.server.waitForRequests(2)
        scheduler.jump(by: .seconds(5))
        #expect(try await recorder.finished().failure?.reason.outline == "timeout(total)")
    }
}

@Suite struct FixedAuthorizationTests {
    private func sent(by provider: some AuthorizationProvider) async throws -> String? {
        let transport = AnsweringTransport { _, _ in .reply(200) }
        let client = transport.client { $0.authorization = provider }
        _ = try await client.data(for: HTTPRequest(.get, "/").settingOptions { $0.requiresAuthorization = true })
        return transport.requests.value.first?.headers["Authorization"]
    }

    @Test func bearer() async throws {
        #expect(try await sent(by: BearerAuthorization(token: "abc")) == "Bearer abc")
    }

    @Test func none() async throws {
        #expect(try await sent(by: NoAuthorization()) == nil)
    }

    /// The examples of RFC 7617, sections 2 and 2.1.
    @Test(arguments: [
        ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123\u{a3}", "dGVzdDoxMjPCow=="),
        ("colon", "in:password", "Y29sb246aW46cGFzc3dvcmQ="),
    ])
    func basic(username: String, password: String, expected: String) async throws {
        let provider = BasicAuthorization(username: username, password: password)
        #expect(try await sent(by: provider) == "Basic \(expected)")
    }

    @Test(arguments: [("a:b", "secret"), ("a", "sec\nret"), ("a\u{0}", "secret")])
    func basicWithoutASense(username: String, password: String) async throws {
        let provider = BasicAuthorization(username: username, password: password)
        let client = AnsweringTransport { _, _ in .reply(200) }.client { $0.authorization = provider }
        let error = try await failure { () async throws(HTTPError) in
            try await client.data(for: HTTPRequest(.get, "/").settingOptions { $0.requiresAuthorization = true })
        }
        #expect(error.reason.outline == "authorization(InvalidCredentials)")
        #expect(!error.description.contains(password))
    }

    @Test func aRejectedFixedTokenIsNotTriedAgain() async throws {
        let transport = AnsweringTransport { _, _ in .reply(401) }
        let client = transport.client { $0.authorization = BearerAuthorization(token: "t") }
        let error = try await failure { () async throws(HTTPError) in try await client.value(for: GetAccount()) }
        #expect(error.status == .unauthorized && transport.requests.value.count == 1)
    }
}
