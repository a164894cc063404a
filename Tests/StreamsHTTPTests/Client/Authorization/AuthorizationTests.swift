import StreamsHTTP
import StreamsLoopback
import Testing

/// Credentials: who gets them, where they come from, and how they are renewed.
@Suite(.reservesDescriptors) struct AuthorizationTests {
    @Test func aProviderAuthorizesEveryRequestThatIsNotLeftOut() async throws {
        struct GetAnonymously: Endpoint {
            let path = "/account"
            let requiresAuthorization = false
        }
        let service = try AccountServer(access: "new")
        let client = service.client()
        #expect(try await client.value(for: GetAccount()) == "hello")
        #expect(try await client.response(for: HTTPRequest(.get, "/account")).status == .ok)
        let endpoint = try await failure { () async throws(HTTPError) in
            try await client.response(for: GetAnonymously())
        }
        let request = try await failure { () async throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "/account").requiringAuthorization(false))
        }
        #expect(endpoint.status == .unauthorized && request.status == .unauthorized)
        #expect(service.authorizations == ["Bearer new", "Bearer new", nil, nil])
        #expect(service.requests("/refresh").isEmpty)
    }

    /// The first refusal cannot be answered by a renewal, the second one is answered in vain.
    @Test(arguments: [nil, "r1"]) func anAcceptedRefusalIsTheResponse(refresh: String?) async throws {
        let service = try AccountServer(refresh: refresh) { _ in .json(#"{"access":"wrong"}"#) }
        let client = service.client { $0.options.validation = .acceptAll }
        let request = HTTPRequest(.get, "/account")
        let collected = try await client.response(for: request)
        #expect(collected.status == .unauthorized && collected.body == Data("who are you?".utf8))
        let recording = try await EventRecorder.record(client.events(for: request))
        #expect(recording.failure == nil && recording.body == Data("who are you?".utf8))
        let streamed = try await client.streamedResponse(for: request)
        #expect(streamed.status == .unauthorized)
        #expect(try await streamed.body.first { _ in true } == Data("who are you?".utf8))
    }

    @Test func acceptingEveryStatusStillRenewsCredentials() async throws {
        let service = try AccountServer()
        let client = service.client { $0.options.validation = .acceptAll }
        let response = try await client.streamedResponse(for: HTTPRequest(.get, "/account"))
        #expect(response.status == .ok)
        #expect(try await response.body.first { _ in true } == Data("hello".utf8))
        #expect(service.authorizations == ["Bearer old", "Bearer new"])
    }

    @Test func aClientMayLeaveOutAllThatDoNotRequireIt() async throws {
        struct GetMine: Endpoint {
            let path = "/account"
            let requiresAuthorization = true
        }
        let service = try AccountServer(access: "new")
        let client = service.client { $0.options.requiresAuthorization = false }
        await #expect(throws: HTTPError.self) { try await client.value(for: GetAccount()) }
        _ = try await client.value(for: GetMine())
        #expect(service.authorizations == [nil, "Bearer new"])
    }

    @Test func everyKindOfRequestIsAuthorized() async throws {
        let service = try AccountServer(access: "new")
        service.server.on("GET", "/events") { request in
            let text = "data: \(request.headers["Authorization"] ?? "none")\n\n"
            return Reply(headers: ["Content-Type": "text/event-stream"], body: .text(text))
        }
        let client = service.client()
        let folder = try ScratchFolder()
        _ = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/account")))
        _ = try await client.downloadFile(for: HTTPRequest(.get, "/account"), to: folder.path + "/file")
        let poll = FeedRecorder<HTTPResponse<Data>>(demand: .max(3))
        client.polls(for: HTTPRequest(.get, "/account"), every: .seconds(100)).events.subscribe(poll)
        try await poll.recording.wait(for: "a response") { !$0.elements.isEmpty }
        poll.cancel()
        let feed = FeedRecorder(of: client.serverSentEvents(for: HTTPRequest(.get, "/events")).events, demand: .max(3))
        let events = try await feed.recording.wait(for: "an event") { !$0.elements.isEmpty }
        feed.cancel()
        #expect(events.elements.map(\.data) == ["Bearer new"])
        #expect(service.authorizations == ["Bearer new", "Bearer new", "Bearer new"])
    }

    @Test func aLoginIsSentWithoutCredentials() async throws {
        let service = try AccountServer(access: "old")
        service.server.on("POST", "/login", .json(#"{"access":"new"}"#))
        let client = service.client()
        _ = try await client.value(for: Login())
        #expect(service.requests("/login").map { $0.headers["Authorization"] } == [nil])
        #expect(try await client.value(for: GetAccount()) == "hello")
    }

    @Test func tokensAreTakenFromEveryKindOfAnswer() async throws {
        let service = try AccountServer(access: nil, refresh: nil)
        service.server.on("POST", "/login") { request in .json(#"{"access":"a\#(request.turn)","refresh":"r"}"#) }
        let client = service.client()
        func stored() -> String? { service.store.credential(for: Accounts.accessTokenKey) }
        _ = try await client.value(for: Login())
        #expect(stored() == "a1")
        _ = try await client.response(for: Login())
        #expect(stored() == "a2")
        _ = try await client.value(for: Login(), onProgress: { _ in })
        #expect(stored() == "a3")
        _ = try await EventRecorder.record(client.events(for: Login()))
        #expect(stored() == "a4")
        for try await _ in client.publisher(for: Login()).values {}
        #expect(stored() == "a5")
        let login: any Endpoint<Tokens> = Login()
        _ = try await client.value(for: login)
        #expect(stored() == "a6")
        #expect(service.store.credential(for: Accounts.refreshTokenKey) == "r")
    }

    @Test func absentTokensLeaveTheOldOnes() async throws {
        let service = try AccountServer()
        service.server.on("POST", "/login", .json(#"{"access":"a"}"#), .json(#"{"refresh":"b"}"#), .json("{}"))
        let client = service.client()
        for _ in 1...3 { _ = try await client.value(for: Login()) }
        #expect(service.store.credential(for: Accounts.accessTokenKey) == "a")
        #expect(service.store.credential(for: Accounts.refreshTokenKey) == "b")
    }

    @Test func expiredCredentialsAreRenewedAndTheRequestRepeated() async throws {
        let service = try AccountServer { _ in .json(#"{"access":"new","refresh":"r2"}"#) }
        let recording = try await EventRecorder.record(service.client().events(for: GetAccount()))
        #expect(
            recording.outline == ["attempt 1", "head 401", "retrying", "attempt 2", "head 200", "response 200"])
        #expect(recording.retries.first?.error.status == .unauthorized)
        #expect(service.authorizations == ["Bearer old", "Bearer new"])
        let refresh = try #require(service.requests("/refresh").first)
        #expect(refresh.headers["X-Refresh"] == "r1" && refresh.headers["Authorization"] == nil)
        #expect(service.store.credential(for: Accounts.refreshTokenKey) == "r2")
    }

    @Test func aRequestIsRepeatedOnce() async throws {
        let service = try AccountServer { _ in .json(#"{"access":"useless"}"#) }
        let client = service.client()
        let error = try await failure { () async throws(HTTPError) in try await client.value(for: GetAccount()) }
        #expect(error.status == .unauthorized && error.attempt == 2)
        #expect(service.authorizations == ["Bearer old", "Bearer useless"])
        #expect(service.requests("/refresh").count == 1)
    }

    @Test(arguments: [HTTPStatus.badRequest, .internalServerError])
    func theOriginalErrorStandsWhereTheRenewalFails(status: HTTPStatus) async throws {
        let service = try AccountServer { _ in .status(status.code) }
        let client = service.client()
        let error = try await failure { () async throws(HTTPError) in try await client.value(for: GetAccount()) }
        #expect(error.status == .unauthorized && error.attempt == 1)
        #expect(error.response?.body == Data("who are you?".utf8))
        #expect(error.request.url.hasSuffix("/account"))
        #expect(service.authorizations.count == 1)
        // Nothing is forgotten: the next one tries again.
        _ = try await failure { () async throws(HTTPError) in try await client.value(for: GetAccount()) }
        #expect(service.requests("/refresh").count == 2)
    }

    @Test func withoutARefreshTokenTheOriginalErrorStands() async throws {
        let service = try AccountServer(refresh: nil)
        let client = service.client()
        let error = try await failure { () async throws(HTTPError) in try await client.value(for: GetAccount()) }
        #expect(error.status == .unauthorized)
        #expect(service.requests("/refresh").isEmpty)
    }

    @Test func onlyTheServersWordEndsARefreshToken() async throws {
        let service = try AccountServer { request in
            request.turn == 1
                ? Reply.generated(10).failing(with: .close(at: .inBody(after: 5)))
                : .json(#"{"error":"invalid_grant"}"#, status: 400)
        }
        let client = service.client()
        for token in ["r1", nil] {
            _ = try await failure { () async throws(HTTPError) in try await client.value(for: GetAccount()) }
            #expect(service.store.credential(for: Accounts.refreshTokenKey) == token)
            #expect(service.store.credential(for: Accounts.accessTokenKey) == "old")
        }
    }

    /// The call that renews the old account's tokens is under way when the user logs in anew.
    @Test(arguments: [true, false])
    func aLoginWinsOverARenewalThatIsUnderWay(isRenewed: Bool) async throws {
        let gate = Gate()
        let service = try AccountServer { _ in
            let answer: Reply =
                isRenewed
                ? .json(#"{"access":"a2","refresh":"r2"}"#) : .json(#"{"error":"invalid_grant"}"#, status: 400)
            return answer.held(by: gate)
        }
        service.token.update { $0 = "a9" }
        service.server.on("POST", "/login", .json(#"{"access":"a9","refresh":"r9"}"#))
        let client = service.client()
        async let value = client.value(for: GetAccount())
        try await service.server.wait { $0.requests.contains { $0.path == "/refresh" } }
        _ = try await client.value(for: Login())
        gate.open()
        #expect(try await value == "hello")
        #expect(service.store.credential(for: Accounts.accessTokenKey) == "a9")
        #expect(service.store.credential(for: Accounts.refreshTokenKey) == "r9")
        #expect(service.requests("/refresh").count == 1)
    }

    @Test func aConditionOfOnesOwn() async throws {
        struct Forbidding: AuthorizationProvider {
            let token = Watched("old")

            var reauthorizationCondition: @Sendable (HTTPError) -> Bool {
                { $0.status == .forbidden && $0.response?.headers["X-Expired"] == "yes" }
            }

            func authorize(_ request: TransportRequest) -> TransportRequest {
                var request = request
                request.headers.set("X-Key", token.value)
                return request
            }

            func makeReauthorizationRequest() -> Refresh? { Refresh(refreshToken: "r") }

            func handle(reauthorizationResponse response: HTTPResponse<Tokens>, from call: Refresh) {
                token.update { $0 = response.body.access ?? $0 }
            }
        }
        let service = try AccountServer()
        let elsewhere = try LoopbackServer()
        elsewhere.on("GET", "/", .text("stranger"))
        service.server.on("GET", "/keyed") { request in
            request.headers["X-Key"] == "new"
                ? .redirect(to: elsewhere.url("/")) : .status(403, headers: ["X-Expired": "yes"])
        }
        service.server.on("GET", "/refused", .status(403))
        let client = service.client { $0.authorization = Forbidding() }
        #expect(try await client.value(for: GetAccount(path: "/keyed")) == "stranger")
        #expect(service.requests("/refresh").count == 1)
        // What a provider adds is sensitive, whatever its name, and whether it says so or not.
        #expect(elsewhere.requests.first?.headers["X-Key"] == nil)
        _ = try await failure { () async throws(HTTPError) in try await client.value(for: GetAccount(path: "/refused"))
        }
        #expect(service.requests("/refresh").count == 1)
    }

    @Test func anAcceptable401IsRenewedForToo() async throws {
        let service = try AccountServer()
        let client = service.client { $0.options.validation = .acceptAll }
        #expect(try await client.response(for: GetAccount()).status == .ok)
    }

    @Test func aCallForNewCredentialsMustNotRequireThem() async throws {
        struct Circular: ReauthorizationEndpoint {
            typealias Response = Tokens
            let refreshToken: String
            var path: String { "/refresh" }
            var requiresAuthorization: Bool { true }
            func accessToken(from response: Tokens) -> String? { response.access }
            func refreshToken(from response: Tokens) -> String? { response.refresh }
        }
        let service = try AccountServer()
        let client = service.client { $0.authorization = OAuthAuthorization<Login, Circular>(store: service.store) }
        let error = try await failure { () async throws(HTTPError) in try await client.value(for: GetAccount()) }
        #expect(error.reason.outline == "authorization.reauthorization-needs-authorization")
        #expect(service.requests("/refresh").isEmpty)
    }

    /// Two clients renew with the same token, which is valid once. The second is rejected after the first has stored the
    /// next token.
    @Test(arguments: [false, true]) func aRejectedTokenDoesNotRemoveItsSuccessor(sharesProvider: Bool) async throws {
        let (first, second) = (Gate(), Gate())
        let service = try AccountServer { request in
            guard request.headers["X-Refresh"] == "r1" else { return .status(500) }
            return request.turn == 1
                ? .json(#"{"access":"new","refresh":"r2"}"#).held(by: first)
                : .json(#"{"error":"invalid_grant"}"#, status: 400).held(by: second)
        }
        let provider = Accounts(store: service.store)
        let clients = (0..<2).map { _ in
            service.client { if sharesProvider { $0.authorization = provider } }
        }
        async let one = try? clients[0].value(for: GetAccount())
        async let two = try? clients[1].value(for: GetAccount())
        try await service.server.wait { $0.requests.count { $0.path == "/refresh" } == 2 }
        first.open()
        try await service.server.wait { $0.requests.contains { $0.headers["Authorization"] == "Bearer new" } }
        second.open()
        let values = await [one, two]
        #expect(values.contains("hello") && values.contains(nil))
        #expect(service.store.credential(for: Accounts.refreshTokenKey) == "r2")
    }

    @Test func aRejectedTokenIsRemoved() async throws {
        let service = try AccountServer { _ in .json(#"{"error":"invalid_grant"}"#, status: 400) }
        _ = try? await service.client().value(for: GetAccount())
        #expect(service.store.credential(for: Accounts.refreshTokenKey) == nil)
    }

    @Test func aProvidersFailureIsTyped() async throws {
        struct Broken: CredentialStore {
            struct Failure: Error {}
            func credential(for key: String) throws -> String? { throw Failure() }
            func update(_ changes: [String: String?]) throws { throw Failure() }
        }
        let service = try AccountServer()
        service.server.on("POST", "/login", .json(#"{"access":"a"}"#))
        let client = service.client { $0.authorization = Accounts(store: Broken()) }
        let unread = try await failure { () async throws(HTTPError) in try await client.value(for: GetAccount()) }
        #expect(unread.reason.outline == "authorization.provider(Failure)")
        let unwritten = try await failure { () async throws(HTTPError) in try await client.value(for: Login()) }
        #expect(unwritten.reason.outline == "authorization.provider(Failure)")
        let recording = try await EventRecorder.record(client.events(for: Login()))
        #expect(recording.failure?.reason.outline == "authorization.provider(Failure)")

        struct GetTokens: AuthorizationEndpoint {
            var path: String { "/tokens" }
            var options: RequestOptions { .with { $0.sharesInFlight = true } }
            func accessToken(from response: Tokens) -> String? { response.access }
            func refreshToken(from response: Tokens) -> String? { response.refresh }
        }
        service.server.on("GET", "/tokens", .json(#"{"access":"a"}"#))
        let sharing = service.client { $0.authorization = OAuthAuthorization<GetTokens, Refresh>(store: Broken()) }
        let shared = try await EventRecorder.record(sharing.events(for: GetTokens()))
        #expect(shared.failure?.reason.outline == "authorization.provider(Failure)")
    }
}
