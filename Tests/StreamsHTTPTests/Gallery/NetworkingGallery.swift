import StreamsHTTP
import StreamsHTTPTesting
import StreamsLoopback
import Testing

// The examples of the document on a basic networking framework, written with Streams.

// MARK: A request

struct SomeRequest: Endpoint {
    let path = "/path1/path2"
    let method = HTTPMethod.post
    let query: HTTPQuery = ["query": "value"]
    let body: HTTPBody

    init(body: some Encodable & Sendable) {
        self.body = .json(body)
    }

    // MARK: Transforming

    func decode(_ response: HTTPResponse<Data>, using decoder: any DataDecoder) throws -> Greeting {
        switch response.status {
        case .ok: return try decoder.decode(Greeting.self, from: response.body)
        default: throw response.status
        }
    }
}

// MARK: Authorization

struct MyAuthorizationRequest: AuthorizationEndpoint {
    let path = "/login"

    struct Response: Decodable, Sendable {
        let access: String
        let refresh: String?
    }

    func accessToken(from response: Response) -> String? { response.access }
    func refreshToken(from response: Response) -> String? { response.refresh }
}

struct MyReauthorizationRequest: ReauthorizationEndpoint {
    let path = "/refresh"
    let query: HTTPQuery
    typealias Response = MyAuthorizationRequest.Response

    init(refreshToken: String) {
        query = ["token": refreshToken]
    }

    func accessToken(from response: Response) -> String? { response.access }
    func refreshToken(from response: Response) -> String? { response.refresh }
}

/// A provider of one's own: it opens a session with a name and sends the session's key in a field of its own.
final class SessionAuthorization: AuthorizationProvider {
    struct OpenSession: Endpoint {
        let path = "/sessions"
        let method = HTTPMethod.post
        let parameters: [String: String]

        struct Response: Decodable, Sendable {
            let key: String
        }
    }

    private let name: String
    private let key = Watched<String?>(nil)

    init(name: String) {
        self.name = name
    }

    func authorize(_ request: TransportRequest) -> TransportRequest {
        guard let key = key.value else { return request }
        var request = request
        request.headers["X-Session"] = key
        return request
    }

    func makeReauthorizationRequest() -> OpenSession? {
        OpenSession(parameters: ["name": name])
    }

    func handle(reauthorizationResponse response: HTTPResponse<OpenSession.Response>, from call: OpenSession) {
        key.update { $0 = response.body.key }
    }
}

struct MyAccount: Endpoint {
    let path = "/account"
    let requiresAuthorization = true
    typealias Response = Greeting
}

@Suite(.reservesDescriptors) struct NetworkingGallery {
    private let live: LoopbackServer
    private let test: LoopbackServer

    init() throws {
        live = try LoopbackServer()
        test = try LoopbackServer()
    }

    @Test func oneRequestAgainstLiveAndTestServers() async throws {
        live.on("POST", "/path1/path2", .json(#"{"text":"live"}"#))
        test.on("POST", "/path1/path2", .json(#"{"text":"test"}"#))
        let myRequest = SomeRequest(body: Greeting(text: "hello"))

        let controller = HTTPClient(baseURL: URL(string: live.url("")))
        let content = try await controller.value(for: myRequest)
        #expect(content.text == "live")

        let content2 = try await HTTPClient(baseURL: URL(string: test.url(""))).value(for: myRequest)
        #expect(content2.text == "test")

        let request = try #require(live.requests.first)
        #expect(request.target == "/path1/path2?query=value" && request.headers["Content-Type"] == "application/json")
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"text":"hello"}"#)
    }

    @Test func theWholeResponse() async throws {
        live.on("POST", "/path1/path2", .json(#"{"text":"live"}"#))
        let response = try await live.client().response(for: SomeRequest(body: Greeting(text: "hello")))
        #expect(response.status == .ok && response.body.text == "live")
        #expect(response.headers["Content-Type"]?.hasPrefix("application/json") == true)
    }

    @Test func aStatusIsThrownAndMatched() async throws {
        live.on("POST", "/path1/path2", .json("{}", status: 202))
        let request = SomeRequest(body: Greeting(text: "hello"))
        do {
            _ = try await live.client().value(for: request)
            Issue.record("no error")
        } catch HTTPStatus.created {
            Issue.record("another status")
        } catch HTTPStatus.accepted {
            // The reason contains what the endpoint has thrown.
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func authorizationAndReauthorization() async throws {
        live.on("GET", "/login", .json(#"{"access":"old","refresh":"again"}"#))
        live.on("GET", "/refresh", .json(#"{"access":"new"}"#))
        live.on("GET", "/account") { request in
            request.headers["Authorization"] == "Bearer new" ? .json(#"{"text":"mine"}"#) : .status(401)
        }

        let authorization = OAuthAuthorization<MyAuthorizationRequest, MyReauthorizationRequest>()
        let controller = HTTPClient(baseURL: URL(string: live.url("")), authorization: authorization)
        _ = try await controller.value(for: MyAuthorizationRequest())
        let account = try await controller.value(for: MyAccount())

        #expect(account.text == "mine")
        #expect(live.requests.map(\.target) == ["/login", "/account", "/refresh?token=again", "/account"])
    }

    @Test func authorizationOfOnesOwn() async throws {
        live.on("POST", "/sessions", .json(#"{"key":"k1"}"#))
        live.on("GET", "/account") { request in
            request.headers["X-Session"] == "k1" ? .json(#"{"text":"mine"}"#) : .status(401)
        }
        let controller = HTTPClient(
            baseURL: URL(string: live.url("")), authorization: SessionAuthorization(name: "ada"))

        #expect(try await controller.value(for: MyAccount()).text == "mine")
        #expect(try await controller.value(for: MyAccount()).text == "mine")

        #expect(live.requests.map(\.target) == ["/account", "/sessions", "/account", "/account"])
        #expect(live.requests[1].text == #"{"name":"ada"}"#)
    }

    @Test func noAuthorization() async throws {
        live.on("GET", "/account", .json(#"{"text":"everybody's"}"#))
        let controller = HTTPClient(baseURL: URL(string: live.url("")), authorization: nil)
        #expect(try await controller.value(for: MyAccount()).text == "everybody's")
        #expect(live.requests.first?.headers["Authorization"] == nil)
    }

    @Test func aSessionIsMocked() async throws {
        let session = MockTransport()
        session.on(.post, "/path1/path2", try .json(Greeting(text: "mocked")))
        let configuration = HTTPClient.Configuration(baseURL: URL(literal: "https://www.test.com"))
        let controller = HTTPClient(configuration: configuration, transport: session)
        let anyRequest: any Endpoint<Greeting> = SomeRequest(body: Greeting(text: "hello"))
        #expect(try await controller.value(for: anyRequest).text == "mocked")
    }
}
